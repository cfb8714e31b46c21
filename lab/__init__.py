"""The laboratory: the web graph measured, modelled, sampled, and crawled again in simulations."""
