"""The lab's second tab: state tracking. Nothing of it is imported before the tab is opened."""
