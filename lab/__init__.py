"""The instrument: Panel widgets and Bokeh charts over ``sim``, in the browser."""
