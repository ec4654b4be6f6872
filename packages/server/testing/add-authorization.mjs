// Preloaded into the conformance suite, which has no tokens. Adds one to its requests to the server under test.
import { createRequire } from 'node:module'

const value = `Bearer ${process.env.TROUPE_TEST_TOKEN}`
const plain = globalThis.fetch
globalThis.fetch = (url, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('authorization', value)
  return plain(url, { ...init, headers })
}
const require = createRequire(process.env.TROUPE_TEST_SUITE)
const undici = require('undici')
undici.setGlobalDispatcher(
  undici
    .getGlobalDispatcher()
    .compose(
      (dispatch) => (options, handler) => dispatch({ ...options, headers: withToken(options.headers) }, handler),
    ),
)

function withToken(headers = []) {
  return Array.isArray(headers) ? [...headers, 'authorization', value] : { ...headers, authorization: value }
}
