oc_test(unit canvas_text_plain_test oc_canvas_plain)
oc_test(unit canvas_flex_test oc_canvas)
oc_test(unit canvas_value_test oc_canvas)
