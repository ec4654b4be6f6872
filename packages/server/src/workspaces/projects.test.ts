import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

interface Info {
  id: string
  name: string
  path: string
  parentProjectId: string | null
}

let server: TestServer
let root: string
let outer: Info
let inner: Info
const seeProject = `import { defineTool } from '@troupe/core'
  import { z } from 'zod'
  export default defineTool({ description: 'Sees.', input: z.object({}), readOnly: true, group: 'test',
    execute: (_, ctx) => ({ project: ctx.project ?? null }) })`

beforeAll(async () => {
  const other = scriptedModel(() => [{ text: 'from the other model' }], { provider: 'test', modelId: 'other' })
  server = await testServer({ models: { 'test/other': other }, tools: { 'see-project': seeProject } })
  root = server.workspace.path
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  const agent = (what: string): string => `---\ndescription: ${what}\n---\n\nYou are the agent of ${what}.`
  const skill = (name: string, what: string): string => `---\nname: ${name}\ndescription: ${what}\n---\nDo it.`
  const config = (value: object): string => JSON.stringify(value)
  write('AGENTS.md', 'Note of the workspace.')
  write('app/AGENTS.md', 'Note of the outer project.')
  write('app/web/AGENTS.md', 'Note of the inner project.')
  for (const [folder, what] of [
    ['.', 'workspace'],
    ['app', 'outer'],
    ['app/web', 'inner'],
  ] as const) {
    write(`${folder}/.troupe/agents/helper.md`, agent(what))
    write(`${folder}/.agents/skills/shared/SKILL.md`, skill('shared', what))
  }
  write('.troupe/config.json', config({ model: 'test/script', permissions: { deny: ['Bash(workspace)'] } }))
  write('app/.troupe/config.json', config({ model: 'test/other', permissions: { deny: ['Bash(outer)'] } }))
  write('app/web/.troupe/config.json', config({ permissions: { deny: ['Read(/secret.txt)'] } }))
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  const open = async (body: object): Promise<Info> =>
    (await server.json<{ project: Info }>('/ai/projects', { body })).body.project
  inner = await open({ path: 'app/web' })
  outer = await open({ path: path.join(root, 'app'), name: 'The app' })
})
afterAll(() => server.close())

const prompt = (): string => JSON.stringify(server.model.calls.at(-1)?.prompt)

it('opens folders inside the workspace as projects, and nests them', async () => {
  expect(outer).toEqual({ id: outer.id, name: 'The app', path: path.join(root, 'app'), parentProjectId: null })
  const { body } = await server.json<{ projects: Info[] }>('/ai/projects')
  expect(body.projects).toEqual([outer, { ...inner, name: 'web', parentProjectId: outer.id }])
  symlinkSync('/etc', path.join(root, 'away'))
  writeFileSync(path.join(root, 'a-file'), '')
  const refused = async (at: string) =>
    (await server.json<{ error: { name: string } }>('/ai/projects', { body: { path: at } })).body.error.name
  expect(await Promise.all(['away', '..', '/etc', 'none', 'a-file'].map(refused))).toEqual([
    'OutsideWorkspace',
    'OutsideWorkspace',
    'OutsideWorkspace',
    'BadProject',
    'BadProject',
  ])
})

it('an unknown project is an error, and a chat keeps its project', async () => {
  const send = (id: string, projectId: unknown) =>
    server.json<{ error: { name: string } }>('/ai/chat', {
      body: { id, message: userMessage('hello'), projectId },
    })
  expect(await send('p-none', 'p_none')).toMatchObject({ status: 404, body: { error: { name: 'ProjectNotFound' } } })
  expect((await send('p-bad', '../x')).status).toBe(400)
  expect((await server.chat('p-kept', 'hello', { projectId: outer.id, model: 'test/script' })).status).toBe(200)
  expect(await send('p-kept', inner.id)).toMatchObject({ status: 409, body: { error: { name: 'OtherProject' } } })
})

it('the notes, agents, skills and model of workspace, outer and inner project apply, the inner ones last', async () => {
  await server.chat('in-inner', 'hello', { projectId: inner.id, model: 'test/script' })
  const said = prompt()
  const places = ['Note of the workspace', 'Note of the outer', 'Note of the inner'].map((text) => said.indexOf(text))
  expect(places.every((place) => place > 0) && places.toSorted((a, b) => a - b)).toEqual(places)
  expect(said).toContain(`Project: web, in ${inner.path}`)
  expect(said).toMatch(/shared[^\\]*: inner/)
  await server.chat('as-helper', 'hello', { projectId: inner.id, model: 'test/script', agent: 'helper' })
  expect(prompt()).toContain('You are the agent of inner')
  await server.chat('as-helper-here', 'hello', { model: 'test/script', agent: 'helper' })
  expect(prompt()).toContain('You are the agent of workspace')
  const model = async (projectId?: string) =>
    (await server.chat(`model-${projectId}`, 'hello', { projectId })).message.metadata?.model
  expect([await model(), await model(outer.id), await model(inner.id)]).toEqual([
    'test/script',
    'test/other',
    'test/other',
  ])
})

it('rules of all of them apply, from their own folders', async () => {
  writeFileSync(path.join(inner.path, 'secret.txt'), 'hidden')
  writeFileSync(path.join(root, 'secret.txt'), 'open')
  const read = (file: string) => [{ call: { name: 'Read', input: { file_path: file } } }]
  server.script('read both', [[...read(path.join(inner.path, 'secret.txt')), ...read('secret.txt')], [{ text: 'ok' }]])
  const { message } = await server.chat('rules', 'read both', { projectId: inner.id, model: 'test/script' })
  const states = message.parts.flatMap((part) => ('toolCallId' in part ? [part.state] : []))
  expect(states).toEqual(['output-denied', 'output-available'])
  const free = await server.chat('rules-here', 'read both', { model: 'test/script' })
  expect(free.message.parts.flatMap((part) => ('toolCallId' in part ? [part.state] : []))).toEqual([
    'output-available',
    'output-available',
  ])
})

it('tools see the project, and keep a task list that survives edits by hand', async () => {
  server.script('see', [[{ call: { name: 'SeeProject', input: {} } }], [{ text: 'ok' }]])
  const seen = await server.chat('seeing', 'see', { projectId: inner.id, model: 'test/script' })
  expect(seen.message.parts).toContainEqual(
    expect.objectContaining({ output: { project: { ...inner, parentProjectId: outer.id } } }),
  )
  const file = path.join(inner.path, 'TASKS.md')
  const call = async (id: string, input: object) => {
    server.script(id, [[{ call: { name: 'ProjectTasks', input } }], [{ text: 'ok' }]])
    await server.chat(id, id, {
      projectId: inner.id,
      model: 'test/script',
      rules: { allow: ['ProjectTasks'] },
    })
  }
  await call('tasks-1', { add: ['Write docs', 'Ship it'] })
  writeFileSync(file, readFileSync(file, 'utf8').replace('# Tasks', '# Release\n\nAsk Ann first.'))
  await Promise.all([
    call('tasks-2', { change: [{ task: 'Write docs', status: 'done' }] }),
    call('tasks-3', { add: ['Party'] }),
    call('tasks-4', { change: [{ task: 2, status: 'started' }] }),
  ])
  expect(readFileSync(file, 'utf8')).toBe(
    '# Release\n\nAsk Ann first.\n\n- [x] Write docs\n- [/] Ship it\n- [ ] Party\n',
  )
  server.script('describe', [
    [{ call: { name: 'ProjectDescribe', input: {} } }, { call: { name: 'ProjectList', input: {} } }],
    [{ text: 'ok' }],
  ])
  await server.chat('describing', 'describe', { projectId: inner.id, model: 'test/script' })
  expect(prompt()).toContain('Tasks: 2 open, 1 done')
  expect(prompt()).toContain(`${inner.id} web (app/web), this chat`)
})

it('a person creates a project, reads what it brings, and shares its tasks with agents', async () => {
  type Details = { project: { agents: string[]; notes: string[] }; tasks: object[]; problem?: string; file: string }
  const details = async (id: string) => (await server.json<Details>(`/ai/projects/${id}`)).body
  const { body } = await server.json<{ project: Info }>('/ai/projects', {
    body: { path: 'new/one', name: 'One', create: true },
  })
  const { id } = body.project
  expect(await details(id)).toMatchObject({ project: { name: 'One', agents: [] }, tasks: [], file: 'new/one/TASKS.md' })
  expect(await details(outer.id)).toMatchObject({
    project: { agents: ['helper'], notes: ['AGENTS.md'], trusted: true },
  })
  expect(await details('folder')).toMatchObject({ project: { path: root }, file: 'TASKS.md' })
  const patch = (change: object, at = id) =>
    server.json<{ tasks: object[]; error: { name: string } }>(`/ai/projects/${at}/tasks`, {
      method: 'PATCH',
      body: change,
    })
  expect((await patch({ add: ['First', 'Second'] })).body.tasks).toHaveLength(2)
  // Someone else puts a line in front: the number is another one, but the task is the same.
  const file = path.join(root, 'new/one/TASKS.md')
  writeFileSync(file, `# Mine\n\n- [ ] Zero\n${readFileSync(file, 'utf8').slice('# Tasks\n\n'.length)}`)
  expect((await patch({ change: [{ number: 1, was: 'First', status: 'done' }] })).status).toBe(200)
  expect(readFileSync(file, 'utf8')).toBe('# Mine\n\n- [ ] Zero\n- [x] First\n- [ ] Second\n')
  expect((await patch({ change: [{ number: 1, was: 'Gone', remove: true }] })).body.error.name).toBe('TaskChanged')
  expect((await patch({ change: [{ number: 3, was: 'Second', remove: true }] })).body.tasks).toHaveLength(2)
  expect((await patch({ add: ['x'] }, 'none')).status).toBe(404)
  expect((await server.json('/ai/projects', { body: { path: 'new/one', create: true } })).status).toBe(409)
  expect((await server.json('/ai/projects', { body: { path: '../out', create: true } })).status).toBe(403)
  writeFileSync(file, '- [ ] t\n'.repeat(100_000))
  expect((await details(id)).problem).toContain('longer than 256 KiB')
  expect((await patch({ add: ['x'] })).body.error.name).toBe('TasksUnreadable')
  symlinkSync('/etc/passwd', path.join(root, 'app', 'TASKS.md'))
  expect((await details(outer.id)).problem).toContain('leads out of the folder')
  expect((await patch({ add: ['x'] }, outer.id)).body.error.name).toBe('TasksUnreadable')
})

it('forgets a project without touching its files, but not while a chat runs in it', async () => {
  const forget = (id: string) => server.json<{ error?: { name: string } }>(`/ai/projects/${id}`, { method: 'DELETE' })
  server.script('wait', [[{ call: { name: 'TestApproval', input: {} } }], [{ text: 'ok' }]])
  await server.chat('forget-me', 'wait', { projectId: inner.id, model: 'test/script' })
  for (const id of [inner.id, outer.id])
    expect(await forget(id)).toMatchObject({ status: 409, body: { error: { name: 'ProjectBusy' } } })
  await server.json('/ai/chat/forget-me/stop', { body: {} })
  await expect.poll(() => server.runs.live().length).toBe(0)

  expect(await forget(outer.id)).toMatchObject({ status: 200, body: { forgotten: outer.id } })
  const { projects } = (await server.json<{ projects: Info[] }>('/ai/projects')).body
  expect(projects).toContainEqual({ ...inner, name: 'web', parentProjectId: null })
  expect(projects.map(({ id }) => id)).not.toContain(outer.id)
  expect(readFileSync(path.join(root, 'app/AGENTS.md'), 'utf8')).toContain('outer')
  expect(await forget(outer.id)).toMatchObject({ status: 404, body: { error: { name: 'ProjectNotFound' } } })

  server.script('forget it', [[{ call: { name: 'ProjectForget', input: { project: 'web' } } }], [{ text: 'ok' }]])
  const config = { permissions: { allow: ['ProjectForget'] } }
  const { message } = await server.chat('forgetting', 'forget it', { model: 'test/script', rules: config.permissions })
  expect(JSON.stringify(message.parts)).toContain('web is no longer a project')
  expect(readFileSync(path.join(root, 'app/web/AGENTS.md'), 'utf8')).toContain('inner')
  expect((await server.chat('forget-me', 'hello', { model: 'test/script' })).status).toBe(200)
  expect((await server.store.sessions.get('forget-me'))?.projectId).toBeNull()
})
