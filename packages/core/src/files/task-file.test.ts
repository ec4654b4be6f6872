import { expect, it } from 'vitest'
import { changeTasks, readTasks } from './task-file.ts'

const byHand = `# Release

Ask Ann first.

* [x] Write the notes
- [ ] Tag it
  - [/] Build packages
Not a task: [ ] here

## Later
- [-] Announce
`

it('reads tasks in any list style, and nothing else', () => {
  expect(readTasks(byHand)).toEqual([
    { number: 1, text: 'Write the notes', status: 'done' },
    { number: 2, text: 'Tag it', status: 'open' },
    { number: 3, text: 'Build packages', status: 'started' },
    { number: 4, text: 'Announce', status: 'started' },
  ])
})

it('changes only the lines of the named tasks, so what people wrote stays', () => {
  const change = [
    { task: 2, status: 'done' as const },
    { task: 'build PACKAGES', text: 'Build all' },
  ]
  expect(changeTasks(byHand, { change, add: ['Celebrate\nall night', 'tag it', ''] })).toBe(
    byHand
      .replace('- [ ] Tag it', '- [x] Tag it')
      .replace('Build packages', 'Build all')
      .replace('- [-] Announce\n', '- [-] Announce\n- [ ] Celebrate all night\n'),
  )
  expect(changeTasks(byHand, { change: [{ task: 1, remove: true }] })).toBe(
    byHand.replace('* [x] Write the notes\n', ''),
  )
  expect(changeTasks(byHand, {})).toBe(byHand)
})

it('begins a list, keeps line endings, and names the tasks if one does not exist', () => {
  expect(changeTasks('', { add: ['One'] })).toBe('# Tasks\n\n- [ ] One\n')
  expect(changeTasks('- [ ] a\r\n', { add: ['b'] })).toBe('- [ ] a\r\n- [ ] b\r\n')
  expect(() => changeTasks(byHand, { change: [{ task: 9 }] })).toThrow(
    'There is no task 9. Tasks: 1. Write the notes; 2. Tag it;',
  )
})
