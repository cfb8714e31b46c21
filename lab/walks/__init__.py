"""Random walks on the web, and near-uniform samples of its pages that they draw.

After Rusmevichientong, Pennock, Lawrence & Giles, "Methods for Sampling Pages Uniformly from the World Wide Web" (AAAI
Fall Symposium on Using Uncertainty within Computation, 2001), who compare five such methods.
"""
