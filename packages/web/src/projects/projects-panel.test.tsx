import type { ProjectTask } from '@troupe/protocol'
import { expect, test } from 'vitest'
import type { Panel } from '../state/panels-state.ts'
import { button, change, click, eventually, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ProjectsPanel } from './projects-panel.tsx'

const facts = {
  trusted: true,
  notes: ['AGENTS.md'],
  skills: [],
  agents: ['helper'],
  rules: 2,
  mcpServers: [],
  model: null,
}
const app = { id: 'p1', name: 'App', path: '/work/app', parentProjectId: null }

function server() {
  const sent: unknown[] = []
  let tasks: ProjectTask[] = [{ number: 1, text: 'Ship it', status: 'started' }]
  const answers = {
    'GET /ai/projects': () => ({ projects: [app] }),
    'POST /ai/projects': (body: unknown) => {
      sent.push(body)
      if ((body as { create?: boolean }).create === true) return { project: app }
      return Response.json({ error: { name: 'BadProject', message: 'no' } }, { status: 400 })
    },
    'GET /ai/projects/p1': () => ({ project: { ...app, ...facts }, tasks, file: 'app/TASKS.md' }),
    'PATCH /ai/projects/p1/tasks': (body: unknown) => {
      sent.push(body)
      if ('add' in (body as object)) tasks = [...tasks, { number: 2, text: 'New', status: 'open' }]
      return { tasks }
    },
  }
  return { sent, answers }
}

const panel = (data: object) => ({ id: 'projects', kind: 'projects', title: '', data }) as unknown as Panel

test('a project is added, and its folder is created only after a question', async () => {
  const { sent, answers } = server()
  const { view } = await render(<ProjectsPanel panel={panel({})} />, { answers })
  await eventually(() => view.querySelectorAll('.project-rows li').length === 2)
  expect(view.querySelector('.project-rows')?.textContent).toContain('App')
  await type(field(t.projects.folder), 'app')
  await click(button(t.projects.save))
  await eventually(() => view.textContent.includes(t.projects.missing))
  await click(button(t.projects.create))
  expect(sent).toEqual([{ path: 'app' }, { path: 'app', create: true }])
})

test('tasks are checked off and added, and a chat starts in the project', async () => {
  const { sent, answers } = server()
  const { view, app: store } = await render(<ProjectsPanel panel={panel({ projectId: 'p1' })} />, { answers })
  await eventually(() => view.querySelector('.project-tasks') !== null)
  expect(view.textContent).toContain(t.projects.started)
  expect(view.querySelector('dl')?.textContent).toBe('NotesAGENTS.mdAgentshelperRules2')
  await click(view.querySelector<HTMLInputElement>('.project-tasks input') as HTMLElement)
  await type(field(t.projects.addTask), 'New')
  await change(() => field(t.projects.addTask).form?.requestSubmit())
  expect(sent).toEqual([{ change: [{ number: 1, was: 'Ship it', status: 'done' }] }, { add: ['New'] }])
  await click(button(t.projects.newChat))
  const { chosenProjects, sessionId, isNew } = store.getState()
  expect([isNew, chosenProjects[sessionId]]).toEqual([true, { id: 'p1', name: 'App' }])
})

test('a project is removed after a question, and the list is shown again', async () => {
  const { answers } = server()
  let projects = [app]
  const { view, requests } = await render(<ProjectsPanel panel={panel({ projectId: 'p1' })} />, {
    answers: {
      ...answers,
      'GET /ai/projects': () => ({ projects }),
      'DELETE /ai/projects/p1': () => {
        projects = []
        return { forgotten: 'p1' }
      },
    },
  })
  await eventually(() => view.textContent.includes('App'))
  await click(button(t.projects.forget))
  const dialog = document.querySelector('dialog') as HTMLElement
  expect(dialog.textContent).toContain(t.projects.forgetText)
  const confirm = [...dialog.querySelectorAll('button')].find((one) => one.textContent === t.projects.forget)
  await click(confirm as HTMLElement)
  expect(requests).toContain('DELETE /ai/projects/p1')
})
