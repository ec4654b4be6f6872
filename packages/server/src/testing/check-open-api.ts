/** Validates an OpenAPI 3.1 document and returns the problems as sentences. Covers the parts of the spec used here. */
export function checkOpenApi(document: unknown): string[] {
  const problems: string[] = []
  const root = fields(document)
  if (!/^3\.1\.\d+$/.test(String(root['openapi']))) problems.push('openapi: must be 3.1.x')
  for (const name of ['title', 'version']) {
    if (typeof fields(root['info'])[name] !== 'string') problems.push(`info.${name}: must be a text`)
  }
  const schemes = Object.keys(fields(fields(root['components'])['securitySchemes']))
  const ids = new Set<unknown>()
  for (const [path, item] of Object.entries(fields(root['paths']))) {
    if (!path.startsWith('/')) problems.push(`${path}: must begin with /`)
    for (const [method, value] of Object.entries(fields(item))) {
      const where = `${method} ${path}`
      if (!['get', 'post', 'patch', 'delete', 'put'].includes(method)) problems.push(`${where}: no such method`)
      const operation = fields(value)
      if (ids.has(operation['operationId'])) problems.push(`${where}: operationId is not unique`)
      ids.add(operation['operationId'])
      problems.push(...checkOperation(where, path, operation, schemes).map((problem) => `${where}: ${problem}`))
    }
  }
  walk(document, '#', (value, where) => {
    const { $ref, type } = fields(value)
    if (typeof $ref === 'string' && lookUp(document, $ref) === undefined)
      problems.push(`${where}: ${$ref} leads nowhere`)
    if (typeof type === 'string' && !types.has(type)) problems.push(`${where}: there is no type "${type}"`)
  })
  return problems
}

const types = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer', 'http', 'apiKey'])

function checkOperation(where: string, path: string, operation: Fields, schemes: string[]): string[] {
  const problems: string[] = []
  if (typeof operation['operationId'] !== 'string') problems.push('operationId is missing')
  if (typeof operation['summary'] !== 'string') problems.push('summary is missing')
  const parameters = list(operation['parameters']).map(fields)
  for (const parameter of parameters) {
    if (!['path', 'query', 'header', 'cookie'].includes(String(parameter['in'])))
      problems.push('a parameter lies nowhere')
    if (parameter['in'] === 'path' && parameter['required'] !== true) problems.push('a path parameter must be required')
    if (parameter['schema'] === undefined) problems.push(`${String(parameter['name'])} has no schema`)
  }
  const names = parameters.map((parameter) => `${String(parameter['in'])} ${String(parameter['name'])}`)
  if (new Set(names).size !== names.length) problems.push('a parameter is named twice')
  const declared = parameters
    .filter((parameter) => parameter['in'] === 'path')
    .map((parameter) => String(parameter['name']))
  const used = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  if (declared.toSorted().join() !== used.toSorted().join()) problems.push('the path and its parameters differ')
  const responses = Object.entries(fields(operation['responses']))
  if (!responses.some(([status]) => status.startsWith('2'))) problems.push('there is no good answer')
  for (const [status, response] of responses) {
    if (!/^[1-5]\d\d$/.test(status)) problems.push(`${status} is no status`)
    if (typeof fields(response)['description'] !== 'string') problems.push(`${status} has no description`)
  }
  for (const requirement of list(operation['security'])) {
    for (const name of Object.keys(fields(requirement)))
      if (!schemes.includes(name)) problems.push(`there is no scheme "${name}"`)
  }
  const body = operation['requestBody']
  if (body !== undefined && Object.keys(fields(fields(body)['content'])).length === 0)
    problems.push('the body has no content')
  if (body !== undefined && where.startsWith('get')) problems.push('GET has no body')
  return problems
}

type Fields = Record<string, unknown>

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function walk(value: unknown, where: string, visit: (value: unknown, where: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  visit(value, where)
  for (const [key, child] of Object.entries(value)) walk(child, `${where}/${key.replaceAll('/', '~1')}`, visit)
}

function lookUp(document: unknown, reference: string): unknown {
  let found = document
  for (const key of reference.replace(/^#\//, '').split('/')) found = fields(found)[key.replaceAll('~1', '/')]
  return found
}
