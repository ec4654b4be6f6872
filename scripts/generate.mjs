import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { relaunch } from './lib/relaunch.mjs'
import { main, root } from './lib/run.mjs'

/**
 * `npm run generate`: writes the references generated from code. With `--check` it compares instead. Each file of
 * `scripts/generators/` exports `file` or `files` (paths from the root) and `generate(file)`, which returns the
 * expected text.
 */
await main(async () => {
  await relaunch({ program: false })
  const check = process.argv.includes('--check')
  const folder = path.join(root, 'scripts', 'generators')
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  for (const name of names.sort()) {
    const { file, files = [file], generate } = await import(pathToFileURL(path.join(folder, name)).href)
    if (files.some((each) => typeof each !== 'string') || typeof generate !== 'function')
      throw new TypeError(`scripts/generators/${name} must export "file" or "files", and "generate"`)
    for (const each of files) {
      const target = path.join(root, each)
      const wanted = await generate(each)
      if (existsSync(target) && readFileSync(target, 'utf8') === wanted) continue
      if (check) {
        console.log(`${each} is not what scripts/generators/${name} makes: run "npm run generate"`)
        process.exitCode = 1
        continue
      }
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, wanted)
      console.log(`wrote ${each}`)
    }
  }
})
