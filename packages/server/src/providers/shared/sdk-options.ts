import type { CreateOptions } from '../../provider.ts'

/**
 * What an SDK's `create…` is given. The key is always said, even when there is none: left out, an SDK would take it
 * from the environment by itself and send it wherever `baseURL` points.
 */
export function sdkOptions({ apiKey = '', baseURL, headers, fetch }: CreateOptions) {
  return { apiKey, ...(baseURL && { baseURL }), ...(headers && { headers }), ...(fetch && { fetch }) }
}
