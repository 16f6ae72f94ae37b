-- TPC-DS: tables, columns and kinds of value as its specification names them (section 2). Lengths and NOT NULL
-- play no part in name resolution and are left out. Fact tables first, then dimensions.

CREATE TABLE inventory (
  inv_date_sk integer, inv_item_sk integer, inv_warehouse_sk integer, inv_quantity_on_hand integer,
  PRIMARY KEY (inv_date_sk, inv_item_sk, inv_warehouse_sk)
);

CREATE TABLE catalog_returns (
  cr_returned_date_sk integer, cr_returned_time_sk integer, cr_item_sk integer, cr_refunded_customer_sk integer,
  cr_refunded_cdemo_sk integer, cr_refunded_hdemo_sk integer, cr_refunded_addr_sk integer,
  cr_returning_customer_sk integer, cr_returning_cdemo_sk integer, cr_returning_hdemo_sk integer,
  cr_returning_addr_sk integer, cr_call_center_sk integer, cr_catalog_page_sk integer, cr_ship_mode_sk integer,
  cr_warehouse_sk integer, cr_reason_sk integer, cr_order_number integer, cr_return_quantity integer,
  cr_return_amount decimal, cr_return_tax decimal, cr_return_amt_inc_tax decimal, cr_fee decimal,
  cr_return_ship_cost decimal, cr_refunded_cash decimal, cr_reversed_charge decimal, cr_store_credit decimal,
  cr_net_loss decimal, PRIMARY KEY (cr_item_sk, cr_order_number)
);

CREATE TABLE catalog_sales (
  cs_sold_date_sk integer, cs_sold_time_sk integer, cs_ship_date_sk integer, cs_bill_customer_sk integer,
  cs_bill_cdemo_sk integer, cs_bill_hdemo_sk integer, cs_bill_addr_sk integer, cs_ship_customer_sk integer,
  cs_ship_cdemo_sk integer, cs_ship_hdemo_sk integer, cs_ship_addr_sk integer, cs_call_center_sk integer,
  cs_catalog_page_sk integer, cs_ship_mode_sk integer, cs_warehouse_sk integer, cs_item_sk integer,
  cs_promo_sk integer, cs_order_number integer, cs_quantity integer, cs_wholesale_cost decimal,
  cs_list_price decimal, cs_sales_price decimal, cs_ext_discount_amt decimal, cs_ext_sales_price decimal,
  cs_ext_wholesale_cost decimal, cs_ext_list_price decimal, cs_ext_tax decimal, cs_coupon_amt decimal,
  cs_ext_ship_cost decimal, cs_net_paid decimal, cs_net_paid_inc_tax decimal, cs_net_paid_inc_ship decimal,
  cs_net_paid_inc_ship_tax decimal, cs_net_profit decimal, PRIMARY KEY (cs_item_sk, cs_order_number)
);

CREATE TABLE store_returns (
  sr_returned_date_sk integer, sr_return_time_sk integer, sr_item_sk integer, sr_customer_sk integer,
  sr_cdemo_sk integer, sr_hdemo_sk integer, sr_addr_sk integer, sr_store_sk integer, sr_reason_sk integer,
  sr_ticket_number integer, sr_return_quantity integer, sr_return_amt decimal, sr_return_tax decimal,
  sr_return_amt_inc_tax decimal, sr_fee decimal, sr_return_ship_cost decimal, sr_refunded_cash decimal,
  sr_reversed_charge decimal, sr_store_credit decimal, sr_net_loss decimal,
  PRIMARY KEY (sr_item_sk, sr_ticket_number)
);

CREATE TABLE store_sales (
  ss_sold_date_sk integer, ss_sold_time_sk integer, ss_item_sk integer, ss_customer_sk integer,
  ss_cdemo_sk integer, ss_hdemo_sk integer, ss_addr_sk integer, ss_store_sk integer, ss_promo_sk integer,
  ss_ticket_number integer, ss_quantity integer, ss_wholesale_cost decimal, ss_list_price decimal,
  ss_sales_price decimal, ss_ext_discount_amt decimal, ss_ext_sales_price decimal, ss_ext_wholesale_cost decimal,
  ss_ext_list_price decimal, ss_ext_tax decimal, ss_coupon_amt decimal, ss_net_paid decimal,
  ss_net_paid_inc_tax decimal, ss_net_profit decimal, PRIMARY KEY (ss_item_sk, ss_ticket_number)
);

CREATE TABLE web_returns (
  wr_returned_date_sk integer, wr_returned_time_sk integer, wr_item_sk integer, wr_refunded_customer_sk integer,
  wr_refunded_cdemo_sk integer, wr_refunded_hdemo_sk integer, wr_refunded_addr_sk integer,
  wr_returning_customer_sk integer, wr_returning_cdemo_sk integer, wr_returning_hdemo_sk integer,
  wr_returning_addr_sk integer, wr_web_page_sk integer, wr_reason_sk integer, wr_order_number integer,
  wr_return_quantity integer, wr_return_amt decimal, wr_return_tax decimal, wr_return_amt_inc_tax decimal,
  wr_fee decimal, wr_return_ship_cost decimal, wr_refunded_cash decimal, wr_reversed_charge decimal,
  wr_account_credit decimal, wr_net_loss decimal, PRIMARY KEY (wr_item_sk, wr_order_number)
);

CREATE TABLE web_sales (
  ws_sold_date_sk integer, ws_sold_time_sk integer, ws_ship_date_sk integer, ws_item_sk integer,
  ws_bill_customer_sk integer, ws_bill_cdemo_sk integer, ws_bill_hdemo_sk integer, ws_bill_addr_sk integer,
  ws_ship_customer_sk integer, ws_ship_cdemo_sk integer, ws_ship_hdemo_sk integer, ws_ship_addr_sk integer,
  ws_web_page_sk integer, ws_web_site_sk integer, ws_ship_mode_sk integer, ws_warehouse_sk integer,
  ws_promo_sk integer, ws_order_number integer, ws_quantity integer, ws_wholesale_cost decimal,
  ws_list_price decimal, ws_sales_price decimal, ws_ext_discount_amt decimal, ws_ext_sales_price decimal,
  ws_ext_wholesale_cost decimal, ws_ext_list_price decimal, ws_ext_tax decimal, ws_coupon_amt decimal,
  ws_ext_ship_cost decimal, ws_net_paid decimal, ws_net_paid_inc_tax decimal, ws_net_paid_inc_ship decimal,
  ws_net_paid_inc_ship_tax decimal, ws_net_profit decimal, PRIMARY KEY (ws_item_sk, ws_order_number)
);

CREATE TABLE call_center (
  cc_call_center_sk integer, cc_call_center_id text, cc_rec_start_date date, cc_rec_end_date date,
  cc_closed_date_sk integer, cc_open_date_sk integer, cc_name text, cc_class text, cc_employees integer,
  cc_sq_ft integer, cc_hours text, cc_manager text, cc_mkt_id integer, cc_mkt_class text, cc_mkt_desc text,
  cc_market_manager text, cc_division integer, cc_division_name text, cc_company integer, cc_company_name text,
  cc_street_number text, cc_street_name text, cc_street_type text, cc_suite_number text, cc_city text,
  cc_county text, cc_state text, cc_zip text, cc_country text, cc_gmt_offset decimal, cc_tax_percentage decimal,
  PRIMARY KEY (cc_call_center_sk)
);

CREATE TABLE catalog_page (
  cp_catalog_page_sk integer, cp_catalog_page_id text, cp_start_date_sk integer, cp_end_date_sk integer,
  cp_department text, cp_catalog_number integer, cp_catalog_page_number integer, cp_description text, cp_type text,
  PRIMARY KEY (cp_catalog_page_sk)
);

CREATE TABLE customer (
  c_customer_sk integer, c_customer_id text, c_current_cdemo_sk integer, c_current_hdemo_sk integer,
  c_current_addr_sk integer, c_first_shipto_date_sk integer, c_first_sales_date_sk integer, c_salutation text,
  c_first_name text, c_last_name text, c_preferred_cust_flag text, c_birth_day integer, c_birth_month integer,
  c_birth_year integer, c_birth_country text, c_login text, c_email_address text, c_last_review_date_sk integer,
  PRIMARY KEY (c_customer_sk)
);

CREATE TABLE customer_address (
  ca_address_sk integer, ca_address_id text, ca_street_number text, ca_street_name text, ca_street_type text,
  ca_suite_number text, ca_city text, ca_county text, ca_state text, ca_zip text, ca_country text,
  ca_gmt_offset decimal, ca_location_type text, PRIMARY KEY (ca_address_sk)
);

CREATE TABLE customer_demographics (
  cd_demo_sk integer, cd_gender text, cd_marital_status text, cd_education_status text,
  cd_purchase_estimate integer, cd_credit_rating text, cd_dep_count integer, cd_dep_employed_count integer,
  cd_dep_college_count integer, PRIMARY KEY (cd_demo_sk)
);

CREATE TABLE date_dim (
  d_date_sk integer, d_date_id text, d_date date, d_month_seq integer, d_week_seq integer, d_quarter_seq integer,
  d_year integer, d_dow integer, d_moy integer, d_dom integer, d_qoy integer, d_fy_year integer,
  d_fy_quarter_seq integer, d_fy_week_seq integer, d_day_name text, d_quarter_name text, d_holiday text,
  d_weekend text, d_following_holiday text, d_first_dom integer, d_last_dom integer, d_same_day_ly integer,
  d_same_day_lq integer, d_current_day text, d_current_week text, d_current_month text, d_current_quarter text,
  d_current_year text, PRIMARY KEY (d_date_sk)
);

CREATE TABLE household_demographics (
  hd_demo_sk integer, hd_income_band_sk integer, hd_buy_potential text, hd_dep_count integer,
  hd_vehicle_count integer, PRIMARY KEY (hd_demo_sk)
);

CREATE TABLE income_band (
  ib_income_band_sk integer, ib_lower_bound integer, ib_upper_bound integer, PRIMARY KEY (ib_income_band_sk)
);

CREATE TABLE item (
  i_item_sk integer, i_item_id text, i_rec_start_date date, i_rec_end_date date, i_item_desc text,
  i_current_price decimal, i_wholesale_cost decimal, i_brand_id integer, i_brand text, i_class_id integer,
  i_class text, i_category_id integer, i_category text, i_manufact_id integer, i_manufact text, i_size text,
  i_formulation text, i_color text, i_units text, i_container text, i_manager_id integer, i_product_name text,
  PRIMARY KEY (i_item_sk)
);

CREATE TABLE promotion (
  p_promo_sk integer, p_promo_id text, p_start_date_sk integer, p_end_date_sk integer, p_item_sk integer,
  p_cost decimal, p_response_target integer, p_promo_name text, p_channel_dmail text, p_channel_email text,
  p_channel_catalog text, p_channel_tv text, p_channel_radio text, p_channel_press text, p_channel_event text,
  p_channel_demo text, p_channel_details text, p_purpose text, p_discount_active text, PRIMARY KEY (p_promo_sk)
);

CREATE TABLE reason (
  r_reason_sk integer, r_reason_id text, r_reason_desc text, PRIMARY KEY (r_reason_sk)
);

CREATE TABLE ship_mode (
  sm_ship_mode_sk integer, sm_ship_mode_id text, sm_type text, sm_code text, sm_carrier text, sm_contract text,
  PRIMARY KEY (sm_ship_mode_sk)
);

CREATE TABLE store (
  s_store_sk integer, s_store_id text, s_rec_start_date date, s_rec_end_date date, s_closed_date_sk integer,
  s_store_name text, s_number_employees integer, s_floor_space integer, s_hours text, s_manager text,
  s_market_id integer, s_geography_class text, s_market_desc text, s_market_manager text, s_division_id integer,
  s_division_name text, s_company_id integer, s_company_name text, s_street_number text, s_street_name text,
  s_street_type text, s_suite_number text, s_city text, s_county text, s_state text, s_zip text, s_country text,
  s_gmt_offset decimal, s_tax_percentage decimal, PRIMARY KEY (s_store_sk)
);

CREATE TABLE time_dim (
  t_time_sk integer, t_time_id text, t_time integer, t_hour integer, t_minute integer, t_second integer,
  t_am_pm text, t_shift text, t_sub_shift text, t_meal_time text, PRIMARY KEY (t_time_sk)
);

CREATE TABLE warehouse (
  w_warehouse_sk integer, w_warehouse_id text, w_warehouse_name text, w_warehouse_sq_ft integer,
  w_street_number text, w_street_name text, w_street_type text, w_suite_number text, w_city text, w_county text,
  w_state text, w_zip text, w_country text, w_gmt_offset decimal, PRIMARY KEY (w_warehouse_sk)
);

CREATE TABLE web_page (
  wp_web_page_sk integer, wp_web_page_id text, wp_rec_start_date date, wp_rec_end_date date,
  wp_creation_date_sk integer, wp_access_date_sk integer, wp_autogen_flag text, wp_customer_sk integer,
  wp_url text, wp_type text, wp_char_count integer, wp_link_count integer, wp_image_count integer,
  wp_max_ad_count integer, PRIMARY KEY (wp_web_page_sk)
);

CREATE TABLE web_site (
  web_site_sk integer, web_site_id text, web_rec_start_date date, web_rec_end_date date, web_name text,
  web_open_date_sk integer, web_close_date_sk integer, web_class text, web_manager text, web_mkt_id integer,
  web_mkt_class text, web_mkt_desc text, web_market_manager text, web_company_id integer, web_company_name text,
  web_street_number text, web_street_name text, web_street_type text, web_suite_number text, web_city text,
  web_county text, web_state text, web_zip text, web_country text, web_gmt_offset decimal,
  web_tax_percentage decimal, PRIMARY KEY (web_site_sk)
);
