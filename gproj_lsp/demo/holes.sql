-- Whom to write to.
SELECT c.full_name, c.{:Column "the customer's e-mail address"}
FROM customer c;

-- What is sold out.
SELECT p.title
FROM ?? p
WHERE p.{:Column "the stock that is left"} = 0;

-- Takings per product.
SELECT p.title, SUM(l.quantity * l.??) AS takings
FROM purchase_line l
JOIN product p ON p.sku = l.??
GROUP BY p.title;
