-- Customers and how to reach them: reads well, and names what is not there.
SELECT c.full_name, c.email
FROM customer c
ORDER BY c.joined_on;

-- Takings per product.
SELECT p.title, SUM(l.quantity * l.price) AS takings
FROM purchase_line l
JOIN products p ON p.sku = l.sku
GROUP BY p.title;
