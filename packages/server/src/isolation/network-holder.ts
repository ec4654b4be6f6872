import { createServer } from 'node:net'

// Runs in the network namespace of a person. Hands the listening socket to the server, then becomes a program that only
// keeps the namespace, because Node needs 40 MB.
const port = Number(process.argv[2])
const server = createServer().listen(port, '127.0.0.1', () => {
  process.send?.(process.pid, server)
})
process.once('disconnect', () => process.execve?.('/bin/sleep', ['sleep', 'infinity'], {}))
