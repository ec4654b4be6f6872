import { allRoutes } from './routes.ts'
import { version } from '../../packages/server/src/boot/server.ts'
import { openApi } from '../../packages/server/src/http/open-api.ts'

export const file = 'docs/reference/openapi.json'

/** Generates the HTTP reference for programs. Creating routes calls nothing in their context. */
export async function generate(): Promise<string> {
  return `${JSON.stringify(openApi(allRoutes(), version), null, 2)}\n`
}
