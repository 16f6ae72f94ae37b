-- A small shop.
CREATE TABLE customer (
  customer_no INTEGER PRIMARY KEY,
  full_name   TEXT NOT NULL,
  mail_addr   TEXT NOT NULL,
  joined_on   DATE NOT NULL
);

CREATE TABLE product (
  sku        TEXT PRIMARY KEY,
  title      TEXT NOT NULL,
  unit_price NUMERIC NOT NULL,
  in_stock   INTEGER NOT NULL
);

CREATE TABLE purchase (
  purchase_no INTEGER PRIMARY KEY,
  customer_no INTEGER NOT NULL REFERENCES customer (customer_no),
  placed_at   TIMESTAMP NOT NULL
);

CREATE TABLE purchase_line (
  purchase_no INTEGER NOT NULL REFERENCES purchase (purchase_no),
  sku         TEXT NOT NULL REFERENCES product (sku),
  quantity    INTEGER NOT NULL,
  price_paid  NUMERIC NOT NULL
);
