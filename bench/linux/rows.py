"""A window with as many rows of four widgets as asked for, in the toolkit asked for: rows.py gtk3|gtk4|qt5 ROWS [TITLE]. With `windows` instead, as many windows."""
import sys

toolkit, count = sys.argv[1], int(sys.argv[2])
title = sys.argv[3] if len(sys.argv) > 3 else 'Rows'


def gtk(version):
    import gi

    gi.require_version('Gtk', version)
    from gi.repository import Gtk

    return Gtk


def gtk3():
    Gtk = gtk('3.0')
    window = Gtk.Window(title=title, default_width=600, default_height=500)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for row in range(count):
        line = Gtk.Box()
        for widget in (Gtk.Label(label=f'Invoice {row}'), Gtk.CheckButton(label=f'Paid {row}'), Gtk.Entry(text=str(row)), Gtk.Button(label=f'Delete {row}')):
            line.add(widget)
        box.add(line)
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(box)
    window.add(scrolled)
    window.connect('destroy', Gtk.main_quit)
    window.show_all()
    Gtk.main()


def windows():
    Gtk = gtk('3.0')
    for n in range(count):
        window = Gtk.Window(title=f'{title} {n}', default_width=200, default_height=100)
        window.add(Gtk.Button(label=f'Close {n}'))
        window.show_all()
    Gtk.main()


def gtk4():
    Gtk = gtk('4.0')
    from gi.repository import Gio, GLib

    GLib.set_prgname('rows.py')

    def fill(application):
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for row in range(count):
            line = Gtk.Box()
            for widget in (Gtk.Label(label=f'Invoice {row}'), Gtk.CheckButton(label=f'Paid {row}'), Gtk.Entry(text=str(row)), Gtk.Button(label=f'Delete {row}')):
                line.append(widget)
            box.append(line)
        Gtk.ApplicationWindow(application=application, title=title, default_width=600, default_height=500, child=Gtk.ScrolledWindow(child=box)).present()

    application = Gtk.Application(application_id='org.deskhand.Rows', flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect('activate', fill)
    application.run()


def qt5():
    from PyQt5.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

    application = QApplication(sys.argv)
    body = QWidget()
    column = QVBoxLayout(body)
    for row in range(count):
        line = QHBoxLayout()
        for widget in (QLabel(f'Invoice {row}'), QCheckBox(f'Paid {row}'), QLineEdit(str(row)), QPushButton(f'Delete {row}')):
            line.addWidget(widget)
        column.addLayout(line)
    area = QScrollArea(windowTitle=title)
    area.setWidget(body)
    area.resize(600, 500)
    area.show()
    application.exec_()


{'gtk3': gtk3, 'gtk4': gtk4, 'qt5': qt5, 'windows': windows}[toolkit]()
