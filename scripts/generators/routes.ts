import { createRoutes, type RouteServices } from '../../packages/server/src/boot/routes.ts'
import { answerText, type Route } from '../../packages/server/src/http/route.ts'

export const file = 'docs/reference/routes.md'

export async function generate(): Promise<string> {
  const groups = Map.groupBy(createRoutes({} as RouteServices), (route) => route.path.split('/')[2] ?? 'health')
  const sections = [...groups].map(([name, routes]) => `## ${name}\n\n${routes.map(describe).join('\n\n')}`)
  return `<!-- Made by scripts/generators/routes.ts: change the endpoints in packages/protocol/src/http and the routes in packages/server/src, and run "npm run generate". -->

# Routes

Every route except those marked *open* needs the secret: \`Authorization: Bearer <content of $TROUPE_HOME/token>\` for programs, \`Authorization: Page <credential of POST /ai/auth>\` for the page. Host and Origin must be the server's own. Bodies are JSON of at most 32 MiB. Ids are 1 to 64 letters, digits, \`_\` or \`-\`.

Errors are \`{error: {name, message, data}}\`. Besides the errors listed here, every route may answer 400 (\`BadRequest\`, \`BadId\`, \`BadJson\`, \`TooDeep\`), 401 (\`Unauthorized\`), 403 (\`ForeignHost\`, \`ForeignOrigin\`), 405 (\`MethodNotAllowed\`), 413 (\`BodyTooLarge\`) and 415 (\`NotJson\`).

Routes marked *scoped* work in the server's own workspace; a program can name another folder with \`?workspace=<absolute path>\`. The schemas of bodies and queries are in [openapi.json](openapi.json), also served at \`/ai/openapi.json\`; the contents of streams are in [stream parts](stream-parts.md). The [HTTP guide](../guides/http.md) shows how to use them.

${sections.join('\n\n')}
`
}

function describe(route: Route): string {
  const marks = [route.open === true ? '*open*' : '', route.scoped === true ? '*scoped*' : ''].filter(
    (mark) => mark !== '',
  )
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
