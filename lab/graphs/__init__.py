"""Access to graphs in any file that holds one."""
