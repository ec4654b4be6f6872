import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findControlGroups } from './control-groups.ts'

const limits = { cpus: 0.5, memoryMb: 100, processes: 50, diskMb: 10, seconds: 60 }
const total = { ...limits, cpus: 2, memoryMb: 400, processes: 200 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-groups-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (...names: string[]): string => readFileSync(path.join(folder, ...names), 'utf8')

/** Plain files in place of the kernel's. */
describe('control groups of version 2', () => {
  const find = (controllers: string) => {
    mkdirSync(path.join(folder, 'unit'), { recursive: true })
    writeFileSync(path.join(folder, 'unit', 'cgroup.controllers'), controllers)
    writeFileSync(path.join(folder, 'unit', 'cgroup.procs'), '17\n')
    return findControlGroups({ name: 'troupe', mounts: `cgroup2 ${folder} cgroup2 rw 0 0\n`, own: '0::/unit\n' })
  }

  test('move the server aside, since a group with limited groups may have no processes', () => {
    const groups = find('cpuset cpu io memory pids\n')
    expect(groups?.controllers).toEqual(['memory', 'pids', 'cpu'])
    expect(read('unit', 'troupe-server', 'cgroup.procs')).toBe('17')
    expect(read('unit', 'cgroup.subtree_control')).toBe('+memory +pids +cpu')
  })

  test('limit a program, and a person as a whole', () => {
    const group = find('cpu memory pids\n')?.open('200001', limits, total)
    expect(group?.folders).toEqual([path.join(folder, 'unit/troupe/200001/1')])
    expect(read('unit/troupe/200001/memory.max')).toBe(String(400 * 2 ** 20))
    expect(read('unit/troupe/200001/1/memory.max')).toBe(String(100 * 2 ** 20))
    expect(read('unit/troupe/200001/1/pids.max')).toBe('50')
    expect(read('unit/troupe/200001/1/cpu.max')).toBe('50000 100000')
  })

  test('report use and kill all processes', () => {
    const group = find('cpu memory pids\n')!.open('200001', limits, total)
    const [own = ''] = group.folders
    writeFileSync(path.join(own, 'memory.events'), 'low 0\nhigh 0\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n')
    writeFileSync(path.join(own, 'pids.events'), 'max 3\n')
    writeFileSync(path.join(own, 'cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n')
    expect(group.usage()).toEqual({ outOfMemory: 1, refusedStarts: 3, cpuSeconds: 2.5 })
    group.kill()
    expect(readFileSync(path.join(own, 'cgroup.kill'), 'utf8')).toBe('1')
  })

  test('are none if memory or processes are not delegated', () => {
    expect(find('cpuset hugetlb\n')).toBeUndefined()
    expect(existsSync(path.join(folder, 'unit', 'troupe-server'))).toBe(false)
  })
})

test('control groups of version 1 use one tree per controller, below the own group', () => {
  for (const name of ['memory/box', 'pids', 'cpu,cpuacct']) mkdirSync(path.join(folder, name), { recursive: true })
  writeFileSync(path.join(folder, 'memory/box/cgroup.procs'), '1\n')
  const mounts = ['memory', 'pids', 'cpu,cpuacct'].map((name) => `cgroup ${folder}/${name} cgroup rw,${name} 0 0`)
  const own = '3:memory:/box\n2:pids:/not-here\n1:cpu,cpuacct:/\n'
  const groups = findControlGroups({ name: 'troupe', mounts: mounts.join('\n'), own })
  const group = groups?.open('200001', limits, total)
  expect(group?.folders).toEqual(
    ['memory/box', 'pids', 'cpu,cpuacct'].map((name) => path.join(folder, name, 'troupe/200001/1')),
  )
  expect(read('memory/box/troupe/200001/1/memory.limit_in_bytes')).toBe(String(100 * 2 ** 20))
  expect(read('cpu,cpuacct/troupe/200001/1/cpu.cfs_quota_us')).toBe('50000')
})
