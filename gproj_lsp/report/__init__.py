"""What `check` found, written for people and for machines: text, JSON, GitHub annotations, SARIF."""
