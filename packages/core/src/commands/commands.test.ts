import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  commandPlaces,
  expandCommand,
  findCommands,
  type FoundCommands,
  parseCommand,
  readCommandBody,
} from './find-commands.ts'

describe('a message that begins with a command', () => {
  it.each([
    ['/help', { name: 'help', rest: '' }],
    ['  /model  acme/large-1 ', { name: 'model', rest: 'acme/large-1' }],
    ['/git:commit fix the\nlast one', { name: 'git:commit', rest: 'fix the\nlast one' }],
    ['/Help', { name: 'help', rest: '' }],
    ['/summary-title', { name: 'summary-title', rest: '' }],
    ['/skill/pdf', undefined],
    ['/usr/bin/node is old', undefined],
    ['/', undefined],
    ['// a comment', undefined],
    ['see /help', undefined],
  ])('%j is %j', (text, parsed) => {
    expect(parseCommand(text)).toEqual(parsed)
  })
})

describe('the text of a command', () => {
  it.each([
    ['Review $ARGUMENTS now.', 'a b', 'Review a b now.'],
    ['$1 before $2; $3.', 'a "b c"', 'a before b c; .'],
    ['Review.', 'a b', 'Review.\n\na b'],
    ['Review.', '', 'Review.'],
    ['$ARGUMENTS', 'costs $1 and $ARGUMENTS', 'costs $1 and $ARGUMENTS'],
    ['$ARGUMENTS_X and $10 cost $$', 'a', '$ARGUMENTS_X and $10 cost $$\n\na'],
    ['$1|$2', "'it is' $&", 'it is|$&'],
  ])('%j with %j is %j', (body, given, text) => {
    expect(expandCommand(body, given)).toBe(text)
  })
})

describe('files of commands', () => {
  let base = ''
  const put = (name: string, content: string): string => {
    const file = path.join(base, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }
  const find = (): FoundCommands =>
    findCommands(commandPlaces({ troupeHome: path.join(base, 'home'), workspace: path.join(base, 'work') }), ['help'])

  beforeEach(() => {
    base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-commands-')))
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  it('are commands by their names, and the nearer file wins', () => {
    const home = put('home/commands/review.md', 'Review at home.')
    const claude = put('work/.claude/commands/review.md', 'Review.')
    const near = put(
      'work/.troupe/commands/review.md',
      '---\ndescription: Reviews.\nargument-hint: <file>\nagent: explore\nmodel: acme/small\nallowed-tools: Read\n---\nReview $1.',
    )
    put('work/.troupe/commands/git/commit.md', '# Commit\n\nAll of it.')
    put('work/.troupe/commands/README.md', 'About these.')
    const { commands, problems } = find()
    expect(problems).toEqual([])
    expect(commands).toEqual([
      {
        name: 'git:commit',
        description: '# Commit',
        path: path.join(base, 'work/.troupe/commands/git/commit.md'),
        scope: 'workspace',
        shadows: [],
      },
      {
        name: 'review',
        description: 'Reviews.',
        argumentHint: '<file>',
        agent: 'explore',
        model: 'acme/small',
        allowedTools: ['Read'],
        path: near,
        scope: 'workspace',
        shadows: [claude, home],
      },
    ])
    expect(readCommandBody({ path: near })).toBe('Review $1.')
  })

  it('that are invalid are listed with the reason, and the rest loads', () => {
    put('home/commands/good.md', 'Good.')
    put('home/commands/help.md', 'Mine.')
    put('home/commands/empty.md', '---\ndescription: x\n---\n')
    put('home/commands/bad.md', '---\nmodel: [x]\n---\nBad.')
    put('home/commands/a b.md', 'Spaced.')
    put('elsewhere.md', 'Elsewhere.')
    mkdirSync(path.join(base, 'work/.troupe/commands'), { recursive: true })
    symlinkSync(path.join(base, 'elsewhere.md'), path.join(base, 'work/.troupe/commands/linked.md'))
    const { commands, problems } = find()
    expect(commands.map(({ name }) => name)).toEqual(['good'])
    expect(problems.map(({ path: file, line, message }) => [path.basename(file), line, message])).toEqual([
      ['a b.md', undefined, 'a command name can only have letters, digits, "-" and "_"'],
      ['bad.md', 2, expect.stringContaining('model: ')],
      ['empty.md', undefined, 'it has no text to send'],
      ['help.md', undefined, '/help is a built-in command; rename the file'],
      ['linked.md', undefined, 'it links to something outside the project'],
    ])
  })
})
