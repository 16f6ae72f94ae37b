"""Resolvers: what a language's names mean, where scopes alone don't tell."""
