import { defineCommand } from '../shared/command.ts'

const help = `Troupe: a workspace in which agents work with real tools under your control.

  troupe [serve]            serve the workspace and open it in the browser
    --port <n>              default 4880, 0 picks a free one (also TROUPE_PORT)
    --host <address>        a loopback address, default 127.0.0.1
    --no-open               do not open the browser
    --json                  print one line {"url", "port", "pid", "workspace"} when ready
    --workspace <folder>    the folder to work in, default: the current one
    --allow-bypass          lets sessions be in the mode bypass, in which nothing asks

  troupe -p "…"             answer one prompt and exit; what is piped in is added to it
    --output-format <f>     text (default), json (one object), stream-json (one chunk a line)
    -m, --model <p/m>       provider/model (also TROUPE_MODEL)
    -c, --continue          go on with the newest session of this folder
    -r, --resume <id>       go on with this session
    --max-steps <n>         model calls at most
    --mode <m>              default, accept-edits, plan; bypass with --allow-bypass
    --allow, --deny, --ask <rule>
                            hold for this run alone, e.g. --allow "Bash(npm test)"; may be repeated
    --workspace <folder>    the folder to work in, default: the current one

  troupe trust [folder] [--off]
                            let what this folder brings along take effect (tools, agents, rules, hooks, skills,
                            commands, notes for agents, MCP servers once you trust each), or no longer
  troupe rules [list]       what runs unasked, what always asks, what never runs; --json, --session <id>
  troupe rules add [--deny|--ask] [--project|--session <id>] <rule>
                            e.g. troupe rules add "Bash(npm run *)"; without a flag: allowed, always
  troupe rules remove <rule>
  troupe rules test [--deny|--ask] <rule>
                            which of the last 1,000 calls of this folder it would change; nothing is saved
  troupe rules explain "<command>"
  troupe rules explain --jsonl
                            what would become of a command, or of each call {"tool", "input"} on stdin, and why
    --mode, --allow, --deny, --ask, --sandbox, --no-sandbox
                            try others than those of this folder
  troupe skills [list]      every skill, where it lies and what it stands before; --json
  troupe skills import <folder|zip|tar> [--trust]
                            show the skills in it; with --trust they become yours
  troupe complete <word>    what a word that begins with / or @ may become, one a line; --json
    --bash                  the lines that have bash complete them: eval "$(troupe complete --bash)"
  troupe mcp                be an MCP server on the standard streams: agents, chosen tools and your commands for
                            other programs
    --http [--port <n>]     at http://127.0.0.1:<n>/mcp instead, for who has the token of the home
    --agents <names>        which agents, default: all; --tools <names>: which tools, default: none
    --allow, --deny <rule>  hold for these calls alone; what would ask is denied
    --session <id>          one that agents may go on with, besides those that they begin
    -m, --model <p/m>, --workspace <folder>
  troupe doctor [--json] [--full]
                            what was found on this machine, and how to fix what is missing; --full reads all of
                            the database
  troupe debug <sessionId> [messageId] [--json]
                            the chain of messages, what the model is sent, the log of the run
  troupe export <sessionId> [--format md|json|html] [--branch <messageId>] [--lang en|zh] [-o <file>]
                            the session as Markdown, as JSON that can be imported, or as a page that replays it
  troupe import <file|folder>
                            bring exported sessions back, or take over what ChatGPT, Claude, LibreChat or
                            Open WebUI exported (zip or JSON)
  troupe help, troupe version

Nobody can be asked in a run of -p: what would need an approval is denied, and the agent is told so.
Exit codes: 0 done, 1 the run failed, 2 wrong usage, 130 interrupted.
Files lie in $TROUPE_HOME, default ~/.troupe. TROUPE_DEBUG=1 shows the whole of an error.
`

export const command = defineCommand({
  options: {},
  async run(_args, { stdout }) {
    stdout.write(help)
    return 0
  },
})
