import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const put = (name: string, content: string): void => {
  mkdirSync(path.dirname(path.join(place.folder, name)), { recursive: true })
  writeFileSync(path.join(place.folder, name), content)
}

test('a word with / or @ is completed', async () => {
  put('home/commands/git/review.md', 'Review $1.')
  const { code, stdout } = await troupe(place, ['complete', '/git:re'])
  expect([code, stdout]).toEqual([0, '/git:review\n'])
})

test('bash passes the word at the cursor, and gets the missing part', async () => {
  const { stdout: script } = await troupe(place, ['complete', '--bash'])
  put('bin/troupe', '#!/bin/sh\necho "$3" >> asked\necho "${3}view.md"\n')
  chmodSync(path.join(place.folder, 'bin/troupe'), 0o755)
  put('complete.sh', script)
  const offered = async (line: string): Promise<string[]> => {
    const asking = `source complete.sh
      COMP_LINE=$1 COMP_POINT=\${#1} COMPREPLY=()
      _troupe
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['-c', asking, 'bash', line], {
      cwd: place.folder,
      env: { ...place.env, PATH: `${path.join(place.folder, 'bin')}:${place.env['PATH']}` },
    })
    return stdout.split('\n').filter((one) => one !== '')
  }
  expect(await offered('troupe -p "/git:re')).toEqual(['review.md'])
  expect(await offered("troupe -p 'look at @src/re")).toEqual(['src/review.md'])
  expect(await offered('troupe -p use\\ /skill/re')).toEqual(['/skill/review.md'])
  expect(await offered('troupe -p hello')).toEqual([])
})
