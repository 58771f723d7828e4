"""pyatspi and dogtail as peers, and as a second pair of eyes: one JSON question per line, one JSON answer per line."""
import json
import sys
import time

import pyatspi


def application(name):
    for app in pyatspi.Registry.getDesktop(0):
        if app is not None and name.lower() in app.name.lower():
            return app
    raise LookupError(f'no application {name}')


def offered(query):
    try:
        return query()
    except NotImplementedError:
        return None


def structure(node):
    """Names, roles, states and order."""
    node.name, node.getRoleName(), node.description
    manages = node.getState().contains(pyatspi.STATE_MANAGES_DESCENDANTS)
    count = 1
    for child in () if manages else node:
        count += structure(child) if child is not None else 0
    return count


def visible(node, cells):
    """Children; of a container that makes them on demand, as many cells as are visible."""
    if not node.getState().contains(pyatspi.STATE_MANAGES_DESCENDANTS):
        return node
    table = offered(node.queryTable) if cells > 0 and node.getState().contains(pyatspi.STATE_SHOWING) else None
    return () if table is None else (table.getAccessibleAt(i // 25, i % 25) for i in range(cells))


def whole(node, cells=0):
    """All that an agent needs: the same, and places, actions, values and texts."""
    node.name, node.getRoleName(), node.description
    node.getState()
    component, actions, value, text = (offered(q) for q in (node.queryComponent, node.queryAction, node.queryValue, node.queryText))
    if component is not None:
        component.getExtents(pyatspi.DESKTOP_COORDS)
    if actions is not None:
        [actions.getName(i) for i in range(actions.nActions)]
    if value is not None:
        value.currentValue
    if text is not None:
        text.getText(0, -1)
    count = 1
    for child in visible(node, cells):
        count += whole(child, cells) if child is not None else 0
    return count


def timed(runs, work):
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - started) * 1000)
    return {'ms': sorted(times)[len(times) // 2], 'result': result}


def tree(ask):
    app = application(ask['app'])
    return timed(ask.get('runs', 3), lambda: structure(app) if ask['what'] == 'structure' else whole(app, ask.get('cells', 0)))


def find(ask):
    """dogtail, by name and role, as its users write it."""
    from dogtail.config import config

    config.checkForA11y = False
    config.logDebugToFile = config.logDebugToStdOut = False
    config.searchCutoffCount = 1
    from dogtail.predicate import GenericPredicate
    from dogtail.tree import root

    app = root.application(application(ask['app']).name)
    predicate = GenericPredicate(name=ask['name'], roleName=ask['role'])
    return timed(ask.get('runs', 3), lambda: app.findChild(predicate, recursive=True).name)


def listing(_):
    """Every application and its windows."""
    return timed(1, lambda: [[w.name for w in app if w is not None] for app in pyatspi.Registry.getDesktop(0) if app is not None])


def first(node, role, name):
    if node.getRoleName() == role and name in (None, node.name) and node.getState().contains(pyatspi.STATE_SHOWING) and node.getState().contains(pyatspi.STATE_SENSITIVE):
        return node
    for child in node:
        found = first(child, role, name) if child is not None else None
        if found is not None:
            return found
    return None


def look(ask):
    """The text and the state of one element, asked of the application afresh."""
    node = first(application(ask['app']), ask['role'], ask.get('name'))
    if node is None:
        return None
    node.clear_cache()
    text = offered(node.queryText)
    extents = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    return {
        'checked': node.getState().contains(pyatspi.STATE_CHECKED),
        'text': None if text is None else text.getText(0, -1),
        'x': extents.x + extents.width // 2,
        'y': extents.y + extents.height // 2,
    }


def grab(ask):
    """PIL's screenshot, pixels only."""
    from PIL import ImageGrab

    return timed(ask.get('runs', 5), lambda: ImageGrab.grab(xdisplay=ask['display']).size)


def differing(ask):
    """The share of pixels in which two pictures differ."""
    from PIL import Image, ImageChops

    one, other = (Image.open(ask[k]).convert('RGB') for k in ('one', 'other'))
    if one.size != other.size:
        return 1
    grey = ImageChops.difference(one, other).convert('L')
    return 1 - grey.histogram()[0] / (one.size[0] * one.size[1])


for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = {'ok': globals()[question['do']](question)}
    except Exception as error:  # whatever a peer does wrong is its answer
        answer = {'error': f'{type(error).__name__}: {error}'}
    sys.stdout.write(json.dumps(answer) + '\n')
    sys.stdout.flush()
