"""A game that was taken over: it exchanges, links and writes in `Saves` without pause, until it is killed.

Arguments: the folder of all saves, the name of the save, a folder and a file outside that links lead to.
"""
import ctypes
import os
import random
import sys
import time

saves, name, folder, secret = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def exchange(one, other):
    libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)


def attempt(action, *given):
    try:
        action(*given)
    except OSError:
        pass


def at(*path):
    return os.path.join(saves, *path)


to_folder, to_secret = at('.link-folder'), at('.link-secret')
attempt(os.symlink, folder, to_folder)
attempt(os.symlink, secret, to_secret)
attempt(os.makedirs, at('Evil_1'))
attempt(os.close, os.open(at('Evil_1', 'Evil_1'), os.O_CREAT | os.O_WRONLY))

folders = ['.farmgate-restore-old', '.farmgate-restore-old/below', '.farmgate-restore-new',
           '.farmgate-restore-new/.unpacked', name + '/below']
files = [name + '/below/0', '.farmgate-restore-new/.unpacked/' + name + '/SaveGameInfo', '.farmgate-restore.json.new']


# In half of its lives it leaves the save alone, so that restores come to their end.
is_careful = random.random() < 0.5
if is_careful:
    folders, files = folders[:2], []


def links():
    one, link = (random.choice(folders), to_folder) if is_careful or random.random() < 0.6 else (random.choice(files), to_secret)
    exchange(at(one), link)
    for _ in range(random.randrange(2000)):
        pass
    exchange(at(one), link)


def entries():
    info = at('Evil_1', 'SaveGameInfo')
    attempt(os.unlink, info)
    kind = random.randrange(3)
    if kind == 0:
        attempt(os.mkfifo, info)
    elif kind == 1:
        attempt(os.symlink, '/dev/zero', info)
    else:
        attempt(lambda: os.truncate(os.open(info, os.O_CREAT | os.O_WRONLY), 10 ** 12))


def journal():
    attempt(os.mkfifo, at('.farmgate-restore.json'))


def more():
    # Where farmgate has not made the folder, it would refuse every restore.
    if os.path.isdir(at('.farmgate-restore-old')):
        attempt(os.makedirs, at('.farmgate-restore-old', 'below', 'more'))
    if is_careful:
        return
    with open(at(name, 'below', str(random.randrange(20))), 'w') as file:
        file.write('x' * random.randrange(100_000))


while True:
    attempt(random.choices([links, entries, journal, more], [1000, 5, 1, 2])[0])
    time.sleep(random.choice([0, 0, 0, 0.001, 0.02]))
