"""Decoding: a model's logits meet the mask of G[Γ]."""
