import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()

test('adds, lists and removes projects, and never deletes files', async () => {
  const app = path.join(place.folder, 'work', 'app')
  mkdirSync(app)
  writeFileSync(path.join(app, 'AGENTS.md'), 'Notes.')
  const added = await troupe(place, ['projects', 'add', 'app', '--name', 'The app'])
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The app is a project: p_\w+, in .*app\.\n$/) })
  const { projects } = JSON.parse((await troupe(place, ['projects', '--json'])).stdout) as {
    projects: { id: string; path: string }[]
  }
  expect(projects).toMatchObject([{ name: 'The app', path: app }])
  expect((await troupe(place, ['projects'])).stdout).toBe(`${projects[0]!.id} The app\n  ${app}\n1 project\n`)

  expect(await troupe(place, ['projects', 'remove', 'other'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no project other'),
  })
  expect(await troupe(place, ['projects', 'remove', 'app'])).toMatchObject({
    code: 0,
    stdout: 'The app is no longer a project. Its files and chats stay.\n',
  })
  expect((await troupe(place, ['projects'])).stdout).toBe('0 projects\n')
  expect(existsSync(path.join(app, 'AGENTS.md'))).toBe(true)
})

test('says how it is used', async () => {
  for (const args of [['add'], ['remove'], ['list', 'x'], ['rename', 'x'], ['add', 'a', 'b']])
    expect(await troupe(place, ['projects', ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('troupe projects [list]'),
    })
})
