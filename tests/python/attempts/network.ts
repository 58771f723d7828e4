import { attempts } from './attempt.ts'

export const network = attempts(
  'network',
  String.raw`
# a TCP connection
import socket
s = socket.socket(); s.connect(('127.0.0.1', T['port'])); s.send(b'hi')
# by name
import socket
socket.create_connection(('localhost', T['port']))
# connect_ex
import socket
print(socket.socket().connect_ex(('127.0.0.1', T['port'])))
# IPv6
import socket
socket.socket(socket.AF_INET6).connect(('::1', T['port']))
# an address in other words
import socket
for a in ('0.0.0.0', '0', '127.1', '2130706433', '0x7f000001', 'localhost.', ''):
    try: socket.create_connection((a, T['port']), timeout=2)
    except OSError as e: print(a, e)
# not blocking
import select, socket
s = socket.socket(); s.setblocking(False); s.connect_ex(('127.0.0.1', T['port'])); select.select([], [s], [], 1)
# UDP
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'hi', ('127.0.0.1', T['udp']))
# UDP, connected
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', T['udp'])); s.send(b'hi')
# sendmsg
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'hi'], [], 0, ('127.0.0.1', T['udp']))
# a unix socket
import socket
socket.socket(socket.AF_UNIX).connect(T['unix'])
# a unix socket through the project
import socket
socket.socket(socket.AF_UNIX).connect('/project/vaultlink/../socket')
# an abstract unix socket
import socket
socket.socket(socket.AF_UNIX).connect('\0' + T['abstract'])
# _socket
import _socket
s = _socket.socket(); s.connect(('127.0.0.1', T['port']))
# TCP fast open
import socket
socket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', T['port']))
# urllib
import urllib.request
urllib.request.urlopen('http://127.0.0.1:%d/' % T['port'], timeout=2)
# urllib and a file URL
import urllib.request
print(urllib.request.urlopen('file://' + T['secret']).read())
# http.client
import http.client
c = http.client.HTTPConnection('127.0.0.1', T['port'], timeout=2); c.request('GET', '/')
# https
import http.client
c = http.client.HTTPSConnection('127.0.0.1', T['port'], timeout=2); c.request('GET', '/')
# ftplib
import ftplib
ftplib.FTP().connect('127.0.0.1', T['port'], timeout=2)
# smtplib
import smtplib
smtplib.SMTP('127.0.0.1', T['port'], timeout=2)
# poplib
import poplib
poplib.POP3('127.0.0.1', T['port'], timeout=2)
# imaplib
import imaplib
imaplib.IMAP4('127.0.0.1', T['port'], timeout=2)
# xmlrpc
import xmlrpc.client
xmlrpc.client.ServerProxy('http://127.0.0.1:%d/' % T['port']).ping()
# asyncio streams
import asyncio
asyncio.run(asyncio.wait_for(asyncio.open_connection('127.0.0.1', T['port']), 2))
# asyncio datagrams
import asyncio
async def go():
    t, _ = await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=('127.0.0.1', T['udp'])); t.sendto(b'hi'); await asyncio.sleep(.1)
asyncio.run(go())
# multiprocessing's connections
from multiprocessing.connection import Client
Client(('127.0.0.1', T['port']))
# log handlers: a socket
import logging, logging.handlers
logging.raiseExceptions = False
logging.handlers.SocketHandler('127.0.0.1', T['port']).emit(logging.makeLogRecord({'msg': 'x'}))
# log handlers: datagrams
import logging, logging.handlers
logging.handlers.DatagramHandler('127.0.0.1', T['udp']).emit(logging.makeLogRecord({'msg': 'x'}))
# log handlers: syslog
import logging, logging.handlers
logging.handlers.SysLogHandler(('127.0.0.1', T['udp'])).emit(logging.makeLogRecord({'msg': 'x'}))
# log handlers: HTTP
import logging, logging.handlers
logging.handlers.HTTPHandler('127.0.0.1:%d' % T['port'], '/').emit(logging.makeLogRecord({'msg': 'x'}))
# listening
import socket
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print('REACHED')
# a server
import socketserver
socketserver.TCPServer(('127.0.0.1', 0), socketserver.BaseRequestHandler); print('REACHED')
# a raw socket
import socket
socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('REACHED')
# a packet socket
import socket
socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print('REACHED')
# netlink
import socket
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW); print('REACHED')
# vsock
import socket
socket.socket(socket.AF_VSOCK); print('REACHED')
# alone: descriptors that are sockets already
import os, socket
for fd in range(0, 64):
    try: s = socket.socket(fileno=os.dup(fd)); print(fd, s.family); s.connect(('127.0.0.1', T['port']))
    except (OSError, TypeError) as e: pass
# alone: a descriptor handed to the owner
import array, os, socket
for fd in (0, 1, 2):
    try: socket.socket(socket.AF_UNIX, fileno=os.dup(fd)).sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [1]))])
    except OSError as e: print(e)
# the network's interfaces
import socket
n = [i[1] for i in socket.if_nameindex() if i[1] != 'lo']; print('REACHED' if n else 'none', n)
# the resolver
import socket
print(socket.gethostbyname(socket.gethostname()))
`,
)
