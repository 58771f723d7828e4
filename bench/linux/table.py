"""A table of as many rows as asked for in GTK 3; prints which row is selected: table.py ROWS."""
import sys

import gi

gi.require_version('Gtk', '3.0')
from gi.repository import Gtk

window = Gtk.Window(title='Table', default_width=500, default_height=500)
rows = Gtk.ListStore(str, str)
for i in range(int(sys.argv[1])):
    rows.append((f'Customer {i}', f'{i} euros'))
table = Gtk.TreeView(model=rows)
for column, title in enumerate(('Customer', 'Amount')):
    table.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))


def changed(selection):
    model, at = selection.get_selected()
    if at is not None:
        print('row', model[at][0], flush=True)


table.get_selection().connect('changed', changed)
scrolled = Gtk.ScrolledWindow()
scrolled.add(table)
window.add(scrolled)
window.connect('destroy', Gtk.main_quit)
window.show_all()
Gtk.main()
