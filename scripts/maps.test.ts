import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = (name: string): string => fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))

test.each(['core', 'server', 'web'])('the map of %s names every folder of its source', (name) => {
  const map = readFileSync(`${root(name)}README.md`, 'utf8')
  const folders = readdirSync(`${root(name)}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map((folder) => folder.name).filter((folder) => !map.includes(`src/${folder}/`))).toEqual([])
})
