-- TPC-H: tables, columns and kinds of value as its specification names them (section 1.4).

CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name char(25), r_comment varchar(152));

CREATE TABLE nation (
  n_nationkey integer PRIMARY KEY, n_name char(25), n_regionkey integer REFERENCES region (r_regionkey),
  n_comment varchar(152)
);

CREATE TABLE part (
  p_partkey integer PRIMARY KEY, p_name varchar(55), p_mfgr char(25), p_brand char(10), p_type varchar(25),
  p_size integer, p_container char(10), p_retailprice decimal(15, 2), p_comment varchar(23)
);

CREATE TABLE supplier (
  s_suppkey integer PRIMARY KEY, s_name char(25), s_address varchar(40),
  s_nationkey integer REFERENCES nation (n_nationkey), s_phone char(15), s_acctbal decimal(15, 2), s_comment varchar(101)
);

CREATE TABLE partsupp (
  ps_partkey integer REFERENCES part (p_partkey), ps_suppkey integer REFERENCES supplier (s_suppkey),
  ps_availqty integer, ps_supplycost decimal(15, 2), ps_comment varchar(199), PRIMARY KEY (ps_partkey, ps_suppkey)
);

CREATE TABLE customer (
  c_custkey integer PRIMARY KEY, c_name varchar(25), c_address varchar(40),
  c_nationkey integer REFERENCES nation (n_nationkey), c_phone char(15), c_acctbal decimal(15, 2), c_mktsegment char(10),
  c_comment varchar(117)
);

CREATE TABLE orders (
  o_orderkey integer PRIMARY KEY, o_custkey integer REFERENCES customer (c_custkey), o_orderstatus char(1),
  o_totalprice decimal(15, 2), o_orderdate date, o_orderpriority char(15), o_clerk char(15), o_shippriority integer,
  o_comment varchar(79)
);

CREATE TABLE lineitem (
  l_orderkey integer REFERENCES orders (o_orderkey), l_partkey integer, l_suppkey integer, l_linenumber integer,
  l_quantity decimal(15, 2), l_extendedprice decimal(15, 2), l_discount decimal(15, 2), l_tax decimal(15, 2),
  l_returnflag char(1), l_linestatus char(1), l_shipdate date, l_commitdate date, l_receiptdate date,
  l_shipinstruct char(25), l_shipmode char(10), l_comment varchar(44), PRIMARY KEY (l_orderkey, l_linenumber),
  FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp (ps_partkey, ps_suppkey)
);
