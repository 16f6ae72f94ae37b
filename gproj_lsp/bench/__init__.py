"""Benchmarks: choice, throughput, and the cost of a changed Γ. Each measures exactly what its sheet says."""
