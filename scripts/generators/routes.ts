import { createRoutes, type RouteServices } from '../../packages/server/src/boot/routes.ts'
import { createTeamRoutes } from '../../packages/server/src/team/open-team.ts'
import { answerText, type Route } from '../../packages/server/src/http/route.ts'

export const file = 'docs/reference/routes.md'

/** Those of both modes. Creating them calls nothing in their context. */
export function allRoutes(): Route[] {
  return [...createRoutes({} as RouteServices), ...createTeamRoutes({} as never)]
}

export async function generate(): Promise<string> {
  const groups = Map.groupBy(allRoutes(), (route) => route.path.split('/')[2] ?? 'health')
  const sections = [...groups].map(([name, routes]) => `## ${name}\n\n${routes.map(describe).join('\n\n')}`)
  return `<!-- Made by scripts/generators/routes.ts: change the endpoints in packages/protocol/src/http and the routes in packages/server/src, and run "npm run generate". -->

# Routes

Every route except those marked *open* needs the secret: \`Authorization: Bearer <content of $TROUPE_HOME/token>\` for programs, \`Authorization: Page <credential of POST /ai/auth>\` for the page. Host and Origin must be the server's own. Bodies are JSON of at most 32 MiB. Ids are 1 to 64 letters, digits, \`_\` or \`-\`.

Errors are \`{error: {name, message, data}}\`. Besides the errors listed here, every route may answer 400 (\`BadRequest\`, \`BadId\`, \`BadJson\`, \`TooDeep\`), 401 (\`Unauthorized\`), 403 (\`ForeignHost\`, \`ForeignOrigin\`), 405 (\`MethodNotAllowed\`), 413 (\`BodyTooLarge\`) and 415 (\`NotJson\`).

In team mode people sign in, and routes need the right that they name: on the chat (\`read\`, \`comment\`, \`write\`, \`approve\`, \`manage\`), the workspace (\`read\`, \`write\`, \`manage\`) or the organization (\`read\`, \`manage\`). Objects that the caller may not see answer 404. Routes marked *team* exist only there. Those marked *operator* are also for commands on a node, which hold the secret key. See the [team guide](../guides/team.md).

Routes marked *scoped* work in the server's own workspace; a program can name another folder with \`?workspace=<absolute path>\`. The schemas of bodies and queries are in [openapi.json](openapi.json), also served at \`/ai/openapi.json\`; the contents of streams are in [stream parts](stream-parts.md). The [HTTP guide](../guides/http.md) shows how to use them.

${sections.join('\n\n')}
`
}

function describe(route: Route): string {
  const { access } = route
  const marks = [
    access.on === 'open' ? '*open*' : `${access.on}: ${access.right}`,
    route.team === true ? '*team*' : '',
    route.operator === true ? '*operator*' : '',
    route.scoped === true ? '*scoped*' : '',
  ].filter((mark) => mark !== '')
  const query = Object.keys(route.query?.shape ?? {})
  const asked = query.length > 0 ? `?${query.map((name) => `${name}=`).join('&')}` : ''
  const answers = Object.entries(route.answers).map(
    ([status, given]) => `- ${status}: ${status >= '400' ? named(answerText(given)) : answerText(given)}`,
  )
  const head = `### ${route.method} ${route.path}${asked}`
  return [head, `${route.summary}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`, answers.join('\n')].join('\n\n')
}

function named(text: string): string {
  return text
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(', ')
}
