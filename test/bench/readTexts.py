"""An extension for hg that reads some texts of a manifest, for the bench."""

import time

from mercurial import registrar

cmdtable = {}
command = registrar.command(cmdtable)


@command(b'readtexts', [], b'FILE')
def readtexts(ui, repo, path):
    """Reads the revisions that a file names, one a line, and prints the seconds that took and the bytes they had."""
    with open(path, 'rb') as lines:
        revisions = [int(line) for line in lines]
    storage = repo.manifestlog.getstorage(b'')
    size = 0
    begin = time.perf_counter()
    for revision in revisions:
        size += len(storage.revision(storage.node(revision)))
    ui.write(b'%f %d\n' % (time.perf_counter() - begin, size))
