/** How providers say that a request holds more than the model takes. */
export const contextTooLongPattern =
  /context[_ ](length|window|size|limit)|maximum context|prompt is too long|input is too long|input token count.*exceeds|token count of \d+ exceeds|exceeds? the (maximum|available) (number of tokens|context)|exceeded model token limit|maximum prompt length|range of input length|request_too_large|too many tokens|too large for model|reduce the length of (the|your) (messages|prompt|input)/i

/**
 * What a provider's complaint that a request is too long says in numbers, in the wordings of the usual ones: how many
 * tokens the model takes, and how many the request had.
 */
export function readContextLimit(message: string): { limit?: number; sent?: number } {
  const text = message.replaceAll(/(\d)[,_](?=\d{3}\b)/g, '$1')
  const limit = firstNumber(text, limits)
  const sent = firstNumber(text, counts)
  return {
    ...(limit !== undefined && { limit }),
    ...(sent !== undefined && sent > (limit ?? 0) && { sent }),
  }
}

const limits = [
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum", "… exceed context limit: 190000 + 20000 > 200000"
  />\s*(\d+)/,
  // Qwen: "Range of input length should be [1, 129024]"
  /\[\s*\d+\s*,\s*(\d+)\s*\]/,
  // "maximum context length is 8192 tokens", "maximum prompt length is 131072", "maximum number of tokens allowed (1048576)"
  /max(?:imum|_model_len|\.)?[a-z_' ]*?(?:length|tokens?|size|window|limit)[a-z_' ]*?(?:is|of|:|=|\(|\bto\b)\s*(?:only\s+)?(\d+)/i,
  // Mistral: "too large for model with 32768 maximum context length"
  /(\d+)\s*(?:tokens?\s*)?max(?:imum)?\b/i,
  // llama.cpp: "exceeds the available context size (4096 tokens)"; LM Studio: "context length of only 4096 tokens"
  /context (?:size|length|window|limit)[a-z ]*?(?:\(|of|is|:|=)\s*(?:only\s+)?(\d+)/i,
  // Moonshot: "exceeded model token limit: 8192"; Copilot: "exceeds the limit of 64000"; "while limit is 8192"
  /limit\s*(?:of|is|:|=)?\s*\(?(\d+)/i,
  // Cohere: "cannot exceed 4081 tokens"; TGI: "must be <= 4096"
  /(?:cannot exceed|must be (?:<=|≤|at most|less than)|at most|up to)\s*(\d+)/i,
  /"n_ctx"\s*:\s*(\d+)/,
]

const counts = [
  /(\d+)\s*tokens?\s*>\s*\d+/i,
  /input token count\s*\(?\s*(?:of\s+)?(\d+)/i,
  /token count of (\d+)/i,
  /(?:resulted in|requested(?: about)?|contains?|received|given:|current length is|request \(|has)\s*(\d+)/i,
  /"n_prompt_tokens"\s*:\s*(\d+)/,
]

/** No model takes fewer tokens than this: a smaller number is something else, such as a status. */
const fewest = 512

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const value = Number(pattern.exec(text)?.[1])
    if (value >= fewest && value < 1e9) return value
  }
  return undefined
}
