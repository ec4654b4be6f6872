import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import type { SandboxFinding } from './sandbox.ts'

/** Why commands cannot be confined on this machine, and what can be done about it. */
export function noSandboxReason(platform: NodeJS.Platform, complaint?: string): SandboxFinding {
  if (platform === 'win32')
    return noSandbox(
      'Windows has nothing that confines commands',
      'run troupe inside WSL 2, with bubblewrap installed there',
    )
  if (platform === 'darwin')
    return noSandbox(
      `sandbox-exec does not confine commands here${quotedComplaint(complaint)}`,
      'make sure that /usr/bin/sandbox-exec works',
    )
  if (platform !== 'linux') return noSandbox(`there is no sandbox for ${platform}`)
  if (/microsoft/i.test(release()) && !/wsl2|microsoft-standard/i.test(release()))
    return noSandbox('WSL 1 has no namespaces', 'change to WSL 2: wsl --set-version <name> 2')
  if (complaint === undefined)
    return noSandbox(
      'bubblewrap is not installed',
      'install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap',
    )
  if (isRefused(complaint)) return refusedByKernel(complaint)
  return noSandbox(`bubblewrap does not confine commands here${quotedComplaint(complaint)}`)
}

function isRefused(complaint: string): boolean {
  return /permission|not permitted|No space left|namespace/i.test(complaint)
}

/** The kernel, or what stands before it, does not let us make namespaces. */
function refusedByKernel(complaint: string): SandboxFinding {
  const may = 'the system does not let bubblewrap make user namespaces'
  if (readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1)
    return noSandbox(
      `${may} (AppArmor restricts them, as on Ubuntu 24.04)`,
      'give bwrap an AppArmor profile with "userns,", or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    )
  if (readNumber('/proc/sys/kernel/unprivileged_userns_clone') === 0)
    return noSandbox(`${may} (kernel.unprivileged_userns_clone is 0)`, 'sudo sysctl kernel.unprivileged_userns_clone=1')
  if (readNumber('/proc/sys/user/max_user_namespaces') === 0)
    return noSandbox(`${may} (user.max_user_namespaces is 0)`, 'sudo sysctl user.max_user_namespaces=15000')
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return noSandbox(
      'this container may not make namespaces of its own',
      'the container confines commands itself; to confine them inside it, start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined',
    )
  return noSandbox(`${may}${quotedComplaint(complaint)}`)
}

function noSandbox(why: string, fix?: string): SandboxFinding {
  const text = `Commands run unconfined: ${why}. More of them are asked about.`
  return fix === undefined ? { text } : { text, fix }
}

function quotedComplaint(complaint: string | undefined): string {
  const line = complaint?.trim().split('\n').at(-1)
  return line === undefined || line === '' ? '' : ` (${line.slice(0, 200)})`
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'latin1'))
  } catch {
    return undefined
  }
}
