// Runs on node for Windows: opens the driver there and serves it to the test on the other side of the loopback.
import { connect } from 'node:net'
import { serveDriver } from '@deskhand/core/driver'
import { windowsDriver } from '@deskhand/driver-windows'

const socket = connect(Number(process.argv[2]), '127.0.0.1')
const served = serveDriver(windowsDriver.open({ urn: 'urn:deskhand:windows:test', env: process.env }), socket)
process.exit((await served.ended) === undefined ? 0 : 1)
