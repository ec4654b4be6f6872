/**
 * Public facts about models: @earendil-works/pi-ai@1.5.0, edition 2 (MIT). Made by `npm run generate`; not to be edited.
 * Each line: id, context window, output limit, marks (v vision, p PDF, r reasoning), and USD per million tokens of
 * input, output, cached input and cache writes, as the maker charges.
 */
export const modelFacts = `
aion-2-0 131072 32768 r
aion-3-0 131072 32768 r
aion-3-0-mini 131072 32768 r
aion-3-5 262144 32768 r
aion-3-5-mini 262144 32768 r
apex 262144 131072 vr
arrow-2 131072 131072 vr
arrow-2-telos 131072 131072 vr
auto 2000000 30000 vr
auto-beta 2000000 65536 vr
beam 1048576 131072 r
beam-1-0-501b-a23b 1048576 131072 r
beam-free 1048576 131072 r
big-pickle 200000 32000 r
chat-latest 400000 128000 vpr 5 30 0.5 -
claude-fable-5 1000000 128000 vpr 10 50 1 12.5
claude-fable-5-1 1000000 128000 vpr 10 50 0.25 12.5
claude-fable-5-1-batch 1000000 128000 vr
claude-fable-5-batch 1000000 128000 vr
claude-fable-latest 1000000 128000 vr
claude-haiku-4-5 200000 64000 vpr 1 5 0.1 1.25
claude-haiku-4-5-20251001 200000 64000 vpr 1 5 0.1 1.25
claude-haiku-4-5-batch 200000 64000 vr
claude-haiku-5-5 1000000 128000 vpr 0.1 0.5 0.01 0.125
claude-haiku-5-5-batch 1000000 128000 vr
claude-haiku-latest 1000000 128000 vr
claude-opus-4-1 200000 32000 vr
claude-opus-4-5 200000 64000 vpr 5 25 0.5 6.25
claude-opus-4-5-20251101 200000 64000 vpr 5 25 0.5 6.25
claude-opus-4-5-batch 200000 64000 vr
claude-opus-4-6 1000000 128000 vpr 5 25 0.5 6.25
claude-opus-4-6-batch 1000000 128000 vr
claude-opus-4-7 1000000 128000 vpr 5 25 0.5 6.25
claude-opus-4-7-batch 1000000 128000 vr
claude-opus-4-8 1000000 128000 vpr 5 25 0.5 6.25
claude-opus-4-8-batch 1000000 128000 vr
claude-opus-4-8-fast 1000000 128000 vr
claude-opus-5 1000000 128000 vpr 5 25 0.5 6.25
claude-opus-5-5 1000000 128000 vpr 4 20 0.2 5
claude-opus-5-5-batch 1000000 128000 vr
claude-opus-5-5-fast 1000000 128000 vr
claude-opus-5-batch 1000000 128000 vr
claude-opus-5-fast 1000000 128000 vr
claude-opus-latest 1000000 128000 vr
claude-sonnet-4-5 200000 64000 vpr 3 15 0.3 3.75
claude-sonnet-4-5-20250929 200000 64000 vpr 3 15 0.3 3.75
claude-sonnet-4-5-batch 1000000 64000 vr
claude-sonnet-4-6 1000000 128000 vpr 3 15 0.3 3.75
claude-sonnet-4-6-batch 1000000 128000 vr
claude-sonnet-5 1000000 128000 vpr 2 10 0.2 2.5
claude-sonnet-5-5 1000000 128000 vpr 2 10 0.1 2.5
claude-sonnet-5-5-batch 1000000 128000 vr
claude-sonnet-5-batch 1000000 128000 vr
claude-sonnet-latest 1000000 128000 vr
codestral 128000 4000 -
codestral-2508 256000 8192 - 0.3 0.9 0.03 -
codestral-latest 256000 4096 - 0.3 0.9 0.03 -
command-a 256000 8000 -
command-a-plus 192000 64000 vr
command-r-08-2024 128000 4000 -
command-r-plus-08-2024 128000 4000 -
deep-research-max-preview-04-2026 131072 65536 vpr 2 12 0.2 -
deep-research-preview-04-2026 131072 65536 vpr 2 12 0.2 -
deepseek-chat 128000 16000 -
deepseek-chat-v3-0324 128000 115200 -
deepseek-chat-v3-1 163840 147456 r
deepseek-flash 1000000 384000 vr 0.3 1.2 0.006 -
deepseek-flash-latest 1048576 943718 vr
deepseek-pro-latest 1048576 393216 r
deepseek-r1 128000 8192 r
deepseek-r1-0528 163840 32768 r
deepseek-v3 64000 8192 -
deepseek-v3-0324 163840 163840 -
deepseek-v3-1 163840 128000 r
deepseek-v3-1-terminus 163840 147456 r
deepseek-v3-2 163840 147456 r
deepseek-v3-2-exp 163840 147456 r
deepseek-v3-2-thinking 128000 8000 -
deepseek-v4-1-flash 1048576 943718 vr
deepseek-v4-1-flash-1017 1048576 128000 r 0.3 1.2 0.007 -
deepseek-v4-1-flash-1017-fast 1048576 262144 vr
deepseek-v4-1-flash-fast 1048576 32768 vr
deepseek-v4-1-flash-free 200000 32000 vr
deepseek-v4-flash 1048575 943717 r
deepseek-v4-flash-0731 1048576 943718 r
deepseek-v4-flash-latest 1048576 943718 r
deepseek-v4-flash-vision-exp 1048576 262144 vr
deepseek-v4-pro 1000000 384000 r 1.32 3.96 0.044 -
deepseek-v4-pro-0813 1048576 943718 r
deepseek-v4p1-flash 1000000 384000 vr
deepseek-v4p1-flash-1017 1000000 384000 vr
deepseek-v4p1-flash-1017-spot 1000000 384000 vr
deepseek-v4p1-flash-spot 1000000 384000 vr
devstral-2512 262144 262144 - 0.4 2 0.04 -
devstral-latest 262144 262144 - 0.4 2 0.04 -
devstral-medium-latest 262144 262144 - 0.4 2 0.04 -
dots-3-note-preview 512000 460800 vr
ember-1 1048576 943718 vr
flint-40b-free 262144 65536 r
flint-v1-0 262144 235929 r
free 200000 4096 vr
fugu-max 1000000 128000 vr
fugu-ultra 1000000 128000 vr
fugu-ultra-v2 1000000 128000 vr
fusion 1000000 30000 r
gemini-2-5-computer-use-preview-10-2025 128000 64000 vpr 1.25 10 - -
gemini-2-5-flash 1048576 65536 vpr 0.3 2.5 0.03 -
gemini-2-5-flash-batch 1000000 64000 vr
gemini-2-5-flash-lite 1048576 65536 vpr 0.1 0.4 0.01 -
gemini-2-5-flash-lite-batch 1048576 65535 vr
gemini-2-5-pro 1048576 65536 vpr 1.25 10 0.125 -
gemini-2-5-pro-batch 1048576 65535 vr
gemini-2-5-pro-preview 1048576 65536 vr
gemini-3-1-flash-lite 1048576 65536 vpr 0.25 1.5 0.025 -
gemini-3-1-flash-lite-batch 1000000 65000 vr
gemini-3-1-flash-lite-preview 1048576 65536 vpr 0.25 1.5 0.025 -
gemini-3-1-pro 1048576 65536 vr
gemini-3-1-pro-preview 1048576 65536 vpr 2 12 0.2 -
gemini-3-1-pro-preview-batch 1000000 64000 vr
gemini-3-1-pro-preview-customtools 1048576 65536 vpr 2 12 0.2 -
gemini-3-5-flash 1048576 65536 vpr 1.5 9 0.15 -
gemini-3-5-flash-batch 1000000 64000 vr
gemini-3-5-flash-lite 1048576 65536 vpr 0.3 2.5 0.03 -
gemini-3-5-flash-lite-batch 1000000 65000 vr
gemini-3-6-flash 1048576 65536 vpr 0.75 3.75 0.075 -
gemini-3-6-flash-batch 1000000 64000 vr
gemini-3-7-flash 1048576 65536 vpr 0.75 3.75 0.075 -
gemini-3-7-flash-batch 1000000 65535 vr
gemini-3-8-flash 1048576 65536 vpr 0.75 3.75 0.075 -
gemini-3-flash 1000000 65000 vr
gemini-3-flash-batch 1000000 64000 vr
gemini-3-flash-preview 1048576 65536 vpr 0.5 3 0.05 -
gemini-3-pro-image 65536 32768 vr
gemini-4-argon 1048576 32768 vpr 2 10 0.1 -
gemini-flash-latest 1048576 65536 vpr 1.5 9 0.15 -
gemini-flash-lite-latest 1048576 65536 vpr 0.25 1.5 0.025 -
gemini-nano-banana-2-1 65536 58982 vr
gemini-pro-latest 1048576 65536 vpr 2 12 0.2 -
gemini-robotics-er-2-preview 131072 65536 vpr 1 5 0.1 -
gemma-3-12b-it 131072 16384 v
gemma-3-27b-it 131072 117964 v
gemma-3-4b-it 131072 131072 v
gemma-4-26b-a4b-it 262144 32768 vpr
gemma-4-31b-it 262144 32768 vpr
glimpse 262144 256000 vr
glm-4-5 131072 98304 r
glm-4-5-air 131072 98304 r
glm-4-5v 65536 16384 vr
glm-4-6 202752 131072 r
glm-4-6v 131072 32768 vr
glm-4-6v-flash 131072 32768 vr
glm-4-7 204800 131072 r 0.6 2.2 0.11 -
glm-4-7-flash 131072 117964 r
glm-4-7-flashx 200000 128000 r
glm-5 202752 131072 r
glm-5-1 202752 131072 r
glm-5-2 1048576 131072 r 1.4 4.4 0.14 -
glm-5-2-fast 1000000 128000 r
glm-5-2-highspeed 1000000 131072 r
glm-5-3 1000000 131072 r 1.4 4.4 0.26 -
glm-5-3-fast 1048576 262144 r
glm-5-3-flash 1000000 131072 vr 0.15 0.5 0.03 -
glm-5-3-flash-free 200000 32000 vr
glm-5-3-flashx 1048576 131072 vr
glm-5-3-highspeed 1000000 131072 r
glm-5-3-prime 1000000 131072 r
glm-5-turbo 200000 131072 r 1.2 4 0.24 -
glm-5p3 1048573 262144 r
glm-5p3-fast 1048572 262144 r
glm-5p3-flash 1048573 131072 vr
glm-5p3-spot 1048573 262144 r
glm-5v-turbo 202752 131072 vr
glm-fast-latest 1048572 262144 r
glm-flash-latest 1048576 131072 vr
glm-latest 1048576 943718 r
glyph-cluster 256000 256000 r
gpt-3-5-turbo-0613 4095 3685 -
gpt-3-5-turbo-16k 16385 4096 -
gpt-4 8192 8192 - 30 60 - -
gpt-4-1 1047576 32768 vp 2 8 0.5 -
gpt-4-1-batch 1047576 32768 v
gpt-4-1-fast 1047576 32768 v
gpt-4-1-mini 1047576 32768 vp 0.4 1.6 0.1 -
gpt-4-1-mini-batch 1047576 32768 v
gpt-4-1-mini-fast 1047576 32768 v
gpt-4-1-nano 1047576 32768 vp 0.1 0.4 0.025 -
gpt-4-turbo 128000 4096 vp 10 30 - -
gpt-4o 128000 16384 vp 2.5 10 1.25 -
gpt-4o-2024-05-13 128000 4096 vp 5 15 - -
gpt-4o-2024-08-06 128000 16384 vp 2.5 10 1.25 -
gpt-4o-2024-11-20 128000 16384 vp 2.5 10 1.25 -
gpt-4o-batch 128000 16384 v
gpt-4o-fast 128000 16384 v
gpt-4o-mini 128000 16384 vp 0.15 0.6 0.075 -
gpt-4o-mini-2024-07-18 128000 16384 v
gpt-4o-mini-batch 128000 16384 v
gpt-4o-mini-fast 128000 16384 v
gpt-5 400000 128000 vpr 1.25 10 0.125 -
gpt-5-1 400000 128000 vpr 1.25 10 0.125 -
gpt-5-1-codex 400000 128000 vr
gpt-5-1-codex-max 400000 128000 vr
gpt-5-1-codex-mini 400000 128000 vr
gpt-5-1-thinking 400000 128000 vr
gpt-5-1-thinking-fast 400000 128000 vr
gpt-5-2 400000 128000 vpr 1.75 14 0.175 -
gpt-5-2-batch 400000 128000 vr
gpt-5-2-chat 128000 32000 v
gpt-5-2-codex 400000 128000 vr
gpt-5-2-fast 400000 128000 vr
gpt-5-2-pro 400000 128000 vpr 21 168 - -
gpt-5-3-codex 400000 128000 vpr 1.75 14 0.175 -
gpt-5-3-codex-fast 400000 128000 vr
gpt-5-3-codex-spark 128000 32000 vpr 1.75 14 0.175 -
gpt-5-4 1050000 128000 vpr 2.5 15 0.25 -
gpt-5-4-batch 1050000 128000 vr
gpt-5-4-fast 1050000 128000 vr
gpt-5-4-mini 400000 128000 vpr 0.75 4.5 0.075 -
gpt-5-4-mini-batch 400000 128000 vr
gpt-5-4-mini-fast 400000 128000 vr
gpt-5-4-nano 400000 128000 vpr 0.2 1.25 0.02 -
gpt-5-4-nano-batch 400000 128000 vr
gpt-5-4-pro 1050000 128000 vpr 30 180 - -
gpt-5-5 1050000 128000 vpr 5 30 0.5 -
gpt-5-5-batch 1000000 128000 vr
gpt-5-5-fast 1000000 128000 vr
gpt-5-5-pro 1050000 128000 vpr 30 180 - -
gpt-5-5-pro-batch 1000000 128000 vr
gpt-5-6 1050000 128000 vpr 4 20 0.4 5
gpt-5-6-cyber 400000 128000 vpr 12.5 75 1.25 15.625
gpt-5-6-luna 1050000 128000 vpr 0.2 1.2 0.02 0.25
gpt-5-6-luna-batch 1050000 128000 vr
gpt-5-6-luna-fast 1050000 128000 vr
gpt-5-6-luna-pro 1050000 128000 vr
gpt-5-6-sol 1050000 128000 vpr 4 20 0.4 5
gpt-5-6-sol-batch 1050000 128000 vr
gpt-5-6-sol-fast 1050000 128000 vr
gpt-5-6-sol-pro 1050000 128000 vr
gpt-5-6-terra 1050000 128000 vpr 2 12 0.2 2.5
gpt-5-6-terra-batch 1050000 128000 vr
gpt-5-6-terra-fast 1050000 128000 vr
gpt-5-6-terra-pro 1050000 128000 vr
gpt-5-batch 400000 128000 vr
gpt-5-chat-latest 128000 16384 vp 1.25 10 0.125 -
gpt-5-codex 400000 128000 vr
gpt-5-fast 400000 128000 vr
gpt-5-mini 400000 128000 vpr 0.25 2 0.025 -
gpt-5-mini-batch 400000 128000 vr
gpt-5-mini-fast 400000 128000 vr
gpt-5-nano 400000 128000 vpr 0.05 0.4 0.005 -
gpt-5-nano-batch 400000 128000 vr
gpt-5-pro 400000 128000 vpr 15 120 - -
gpt-5-pro-batch 400000 272000 vr
gpt-6-1-sol 1050000 128000 vpr 2 10 0.1 2.5
gpt-6-1-sol-batch 1050000 128000 vr
gpt-6-1-sol-fast 1050000 128000 vr
gpt-6-1-sol-pro 1050000 128000 vr
gpt-6-1-terra 1050000 128000 vpr 1 5 0.05 1.25
gpt-6-1-terra-fast 1050000 128000 vr
gpt-6-1-terra-pro 1050000 128000 vr
gpt-6-astra 1050000 128000 vpr 10 50 1 12.5
gpt-6-astra-batch 1050000 128000 vr
gpt-6-astra-fast 1050000 128000 vr
gpt-6-astra-pro 1050000 128000 vr
gpt-6-luna 1050000 128000 vpr 0.1 0.5 0.01 0.125
gpt-6-luna-batch 1050000 128000 vr
gpt-6-luna-fast 1050000 128000 vr
gpt-6-luna-pro 1050000 128000 vr
gpt-6-sol 1050000 128000 vpr 2 10 0.2 2.5
gpt-6-sol-batch 1050000 128000 vr
gpt-6-sol-fast 1050000 128000 vr
gpt-6-sol-pro 1050000 128000 vr
gpt-astra-latest 1050000 128000 vr
gpt-audio 128000 16384 -
gpt-audio-mini 128000 16384 -
gpt-chat-latest 400000 128000 v
gpt-daybreak-blue-latest 1050000 128000 vpr 4 20 0.4 5
gpt-daybreak-red-latest 400000 128000 vpr 12.5 75 1.25 15.625
gpt-luna-latest 1050000 128000 vr
gpt-mini-latest 400000 128000 vr
gpt-oss-120b 131072 65536 r
gpt-oss-20b 131072 117964 r
gpt-oss-safeguard-120b 128000 16000 r
gpt-oss-safeguard-20b 131072 65536 r
gpt-sol-latest 1050000 128000 vr
gpt-terra-latest 1050000 128000 vr
granite-4-2-8b 131072 117964 r
grok-4-20 2000000 1800000 vr
grok-4-20-multi-agent 2000000 2000000 vr
grok-4-20-multi-agent-batch 2000000 2000000 vr
grok-4-20-multi-agent-beta 2000000 2000000 vr
grok-4-20-non-reasoning 2000000 2000000 v
grok-4-20-non-reasoning-batch 2000000 2000000 v
grok-4-20-non-reasoning-beta 2000000 2000000 v
grok-4-20-reasoning 2000000 2000000 vr
grok-4-20-reasoning-batch 2000000 2000000 vr
grok-4-20-reasoning-beta 2000000 2000000 vr
grok-4-3 1000000 30000 vr 1.25 2.5 0.2 -
grok-4-3-batch 1000000 1000000 vr
grok-4-5 500000 500000 vr 2 6 0.3 -
grok-4-6 500000 500000 vr 2 6 0.5 -
grok-4-7 500000 500000 vr 2 6 0.5 -
grok-build-0-1 256000 230400 vr
grok-latest 500000 450000 vr
grok-voice-3-0 4096 4096 r
hy3 262144 128000 r
hy3-preview 262144 235929 r
hy4-preview 1048576 64000 r
inkling 524288 471859 vr
inkling-small 524288 262144 vr
interfaze-beta 1000000 32000 vr
jev-router 1000000 65536 vr
kimi-fast-latest 1048576 131072 vr
kimi-k2 131072 98304 -
kimi-k2-0905 262144 98304 -
kimi-k2-5 262144 4096 vr
kimi-k2-6 262144 262144 vr 0.95 4 0.16 -
kimi-k2-7-code 262144 262144 vr 0.95 4 0.19 -
kimi-k2-7-code-highspeed 262144 262144 vr 1.9 8 0.38 -
kimi-k2-instruct 131072 16384 -
kimi-k2-instruct-0905 262144 16384 -
kimi-k2-thinking 262144 98304 r
kimi-k3 1048576 1048576 vr 3 15 0.3 -
kimi-k3-1-pro 1048576 1048576 vr 2 10 0.2 -
kimi-k3-1-pro-highspeed 1048576 1048576 vr 4 20 0.2 -
kimi-k3-fast 1000000 131072 vr
kimi-k3-spot 1048576 131072 vr
kimi-latest 1048576 131072 vr
labs-devstral-small-2512 256000 256000 v
labs-leanstral-1-5-1 262144 128000 vr
laguna-s-2-1 1000000 131072 r
lfm-2-5-2-6b 128000 8192 r
lfm-2-5-24b-a2b 128000 8192 r
lfm2-5-24b-a2b 128000 8200 r
ling-3-0-flash 262144 32768 r
ling-3-0-flash-fin 256000 32000 r
ling-3-0-flash-sante 256000 32000 r
ling-3-0-flash-vl 131072 32768 vr
ling-3-1-flash 1000000 262144 r
ling-3-1-flash-1019 1000000 262144 r
llama-3-1-70b 128000 8192 -
llama-3-1-70b-instruct 131072 16384 -
llama-3-1-8b 128000 8192 -
llama-3-1-8b-instant 131072 131072 -
llama-3-1-8b-instruct 131072 117964 -
llama-3-3-70b 128000 8192 -
llama-3-3-70b-instruct 131072 16384 -
llama-3-3-70b-versatile 131072 32768 -
llama-4-maverick 128000 16384 v
llama-4-scout 327680 16384 v
longcat-2-0 1048756 262144 r
longcat-2-5-preview 1048576 131072 vr
magistral-medium-latest 262144 16384 vr 2 5 0.2 -
mercury-2 128000 50000 r
mercury-2-5 260000 65536 r
mercury-3 1000000 131072 r
mercury-coder-small 32000 16384 -
mimo-v2-5 1000000 65536 vr
mimo-v2-5-pro 262144 235929 r
mimo-v2-6-flash 1048576 131072 vr 0.14 0.28 0.0028 -
mimo-v2-6-flash-free 200000 32000 vr
mimo-v2-6-pro 1048576 131072 vr 0.435 0.87 0.0036 -
mimo-v2-6-pro-ultraspeed 1048576 131072 vr 4.35 8.7 0.036 -
minimax-latest 512000 512000 r
minimax-m1 1000000 40000 r
minimax-m1-80k 1000000 80000 r
minimax-m2 204800 131072 r
minimax-m2-1 204800 131072 r
minimax-m2-1-lightning 204800 131072 r
minimax-m2-5 198000 32768 r
minimax-m2-5-highspeed 204800 131000 r
minimax-m2-7 204800 131072 r 0.3 1.2 0.06 0.375
minimax-m2-7-highspeed 204800 131072 r 0.6 2.4 0.06 0.375
minimax-m3 1000000 524288 vr 0.3 1.2 0.06 -
minimax-m3-1-flash 1000000 524288 vr 0.15 0.6 0.015 -
minimax-m3p1-flash 1000000 512000 vr
ministral-14b 262144 256000 v
ministral-14b-2512 262144 262144 v 0.2 0.2 0.02 -
ministral-3b 131072 4000 v
ministral-3b-2512 131072 262144 v 0.1 0.1 0.01 -
ministral-3b-latest 131072 128000 v 0.1 0.1 0.01 -
ministral-8b 262144 4000 v
ministral-8b-2512 262144 262144 v 0.15 0.15 0.015 -
ministral-8b-latest 262144 128000 v 0.15 0.15 0.015 -
mistral-large 128000 102400 -
mistral-large-2407 131072 104857 -
mistral-large-2512 262144 262144 v 0.5 1.5 0.05 -
mistral-large-3 262144 256000 v
mistral-large-4 1048576 262144 vr 0.7 2.1 0.07 -
mistral-large-4-0 1048576 262144 vr
mistral-large-4-0-8 1048576 262144 vr 0.7 2.1 0.07 -
mistral-large-latest 262144 262144 v 0.5 1.5 0.05 -
mistral-medium-2505 131072 131072 v 0.4 2 0.04 -
mistral-medium-2508 262144 262144 v 0.4 2 0.04 -
mistral-medium-2604 262144 262144 vr 1.5 7.5 0.15 -
mistral-medium-3 131072 104857 v
mistral-medium-3-1 131072 104857 v
mistral-medium-3-5 262144 262144 vr 1.5 7.5 - -
mistral-medium-latest 262144 262144 vr 1.5 7.5 0.15 -
mistral-nemo 131072 16384 -
mistral-saba 32768 26214 -
mistral-small 262144 4000 v
mistral-small-2506 128000 16384 v 0.1 0.3 0.01 -
mistral-small-2603 262144 256000 vr 0.15 0.6 0.015 -
mistral-small-3-1-24b-instruct 128000 102400 v
mistral-small-3-2-24b-instruct 128000 16384 v
mistral-small-latest 262144 256000 vr 0.15 0.6 0.015 -
mixtral-8x22b-instruct 65536 52428 -
moonshot-v1-auto 131072 - -
muse-glimmer-30b 131072 16384 vr
muse-spark-1-1 1048576 943718 vr
muse-spark-1-2 1048576 943718 vr
muse-spark-1-2-contributor 1048576 943718 vr
muse-spark-1-3 1048576 943718 vr
muse-spark-1-3-contributor 1048576 943718 vr
muse-spark-open 1048576 943718 vr
muse-spark-open-816b-a42b 1048576 131072 vr
muse-wonder 1048576 943718 vr
muse-wonder-1-0 1048576 1048576 vr
namazu 256000 256000 vr
nemotron-3-5-lightning 262144 235929 r
nemotron-3-5-lightning-free 1000000 65000 r
nemotron-3-5-super-vl 262144 235929 vr
nemotron-3-5-super-vl-free 1048576 131072 vr
nemotron-3-nano-30b-a3b 262144 235929 r
nemotron-3-nano-omni-30b-a3b-reasoning 256000 65536 vr
nemotron-3-super-120b-a12b 1048576 262144 r
nemotron-3-ultra-550b-a55b 202800 182520 r
nemotron-3-ultra-nvfp4 262144 128000 r
nemotron-lightning-3p5-30b-a3b 262144 262144 r
nemotron-nano-12b-v2-vl 131072 131072 vr
nemotron-nano-9b-v2 131072 131072 r
nex-n2-5-pro 262144 235929 vr
north-mini-code 256000 64000 r
nova-2-lite 1000000 1000000 vr
nova-2-lite-v1 1000000 65535 vr
nova-lite 300000 8192 v
nova-lite-v1 300000 5120 v
nova-micro 128000 8192 -
nova-micro-v1 128000 5120 -
nova-premier-v1 1000000 32000 v
nova-pro 300000 8192 v
nova-pro-v1 300000 5120 v
nvidia-nemotron-3-5-super-vl 262144 262144 vr
o1 200000 100000 vpr 15 60 7.5 -
o1-pro 200000 100000 vpr 150 600 - -
o3 200000 100000 vpr 2 8 0.5 -
o3-fast 200000 100000 vr
o3-mini 200000 100000 r 1.1 4.4 0.55 -
o3-pro 200000 100000 vpr 20 80 - -
o4-mini 200000 100000 vpr 1.1 4.4 0.275 -
open-mistral-nemo 128000 128000 - 0.15 0.15 0.015 -
pareto-26-10 1048576 131072 v
pareto-26-9 262144 131072 v
pareto-code 2000000 4096 r
pareto-latest 1048576 131072 v
particle-1 1048576 131072 vr
perceptron-mk1-5 36864 8192 vr
pixtral-12b 128000 128000 v 0.15 0.15 0.015 -
qwen-2-5-72b-instruct 32768 16384 -
qwen-2-5-7b-instruct 32768 29491 -
qwen-3-14b 40960 16384 r
qwen-3-235b 262144 16384 -
qwen-3-30b 40960 16384 r
qwen-3-32b 128000 8192 r
qwen-3-8-27b 131072 40960 vr
qwen-flash 1000000 32768 r
qwen-max-latest 262144 131072 vr
qwen-plus 1000000 32768 -
qwen2-5-coder-32b-instruct 131072 8192 -
qwen3-14b 40960 16384 r
qwen3-235b-a22b 40960 16384 r
qwen3-235b-a22b-2507 262144 16384 -
qwen3-235b-a22b-instruct-2507 262144 16384 -
qwen3-235b-a22b-thinking-2507 128000 16384 r
qwen3-30b-a3b 40960 16384 r
qwen3-30b-a3b-instruct-2507 262144 235929 -
qwen3-32b 40960 16384 r
qwen3-5-122b-a10b 262144 65536 vr
qwen3-5-27b 262144 81920 vr
qwen3-5-35b-a3b 262144 81920 vr
qwen3-5-397b-a17b 262144 235929 vr
qwen3-5-9b 262144 235929 vr
qwen3-5-flash 1000000 64000 vr
qwen3-5-flash-02-23 1000000 65536 vr
qwen3-5-plus 1000000 64000 vr
qwen3-5-plus-02-15 1000000 65536 vr
qwen3-5-plus-20260420 1000000 65536 vr
qwen3-6-27b 262144 65536 vr
qwen3-6-35b-a3b 262144 235929 vr
qwen3-6-flash 1000000 65536 vr
qwen3-6-plus 1000000 65536 vr
qwen3-7-flash 1000000 65536 vr
qwen3-7-max 1000000 131072 r
qwen3-7-plus 1000000 131072 vr
qwen3-8-2-4t-a95b 1000000 131072 r
qwen3-8-27b 262144 235929 vr
qwen3-8-flash 1000000 131072 vr
qwen3-8-max 262144 128000 vr
qwen3-8-max-0902 1000000 131072 vr
qwen3-8-max-prime 1000000 131072 vr
qwen3-8-omni-flash 1000000 131072 vr
qwen3-8b 40960 32768 r
qwen3-coder 262144 65536 -
qwen3-coder-30b-a3b 262144 8192 -
qwen3-coder-30b-a3b-instruct 262144 235929 -
qwen3-coder-480b-a35b-instruct 262144 65536 -
qwen3-coder-flash 1000000 65536 -
qwen3-coder-next 262144 235929 -
qwen3-coder-plus 1000000 65536 - 1 5
qwen3-max 262144 65536 r
qwen3-max-thinking 256000 65536 r
qwen3-next-80b-a3b-instruct 262144 16384 -
qwen3-next-80b-a3b-thinking 262144 262144 r
qwen3-vl-235b-a22b-instruct 131072 32768 v
qwen3-vl-235b-a22b-thinking 131072 32768 vr
qwen3-vl-30b-a3b-instruct 262144 16384 v
qwen3-vl-30b-a3b-thinking 262144 235929 vr
qwen3-vl-8b-instruct 262144 235929 v
qwen3-vl-instruct 262144 262144 v
qwen3p8-2p4t-a95b 262144 131072 r
qwen3p8-max 262144 131072 vr
reka-edge 16384 14745 v
relace-search 256000 128000 -
sakana-namazu 262144 65536 vr
seed-1-6 262144 32768 vr
seed-1-6-flash 262144 32768 vr
seed-1-8 256000 64000 vr
seed-2-0-code 262144 131072 vr
seed-2-0-lite 262144 131072 vr
seed-2-0-mini 262144 131072 vr
seed-2-1-turbo 262144 235929 vr
solar-mini4 524288 131072 r
solar-pro4 524288 131072 r
step-3-5-flash 262144 65536 r
step-3-7-flash 256000 230400 vr
step-5-preview 1000000 64000 vr
ternary-bonsai-2-27b 262144 32768 vr
ternary-bonsai-2-9b 262144 65536 vr
toast-1 131000 4000 -
voxtral-small-24b-2507 32768 26214 -
voxtral-small-2507 32768 32000 - 0.1 0.4 0.01 -
voxtral-small-latest 32768 32000 - 0.1 0.4 0.01 -
xing4-0-29b-a4b 262144 235929 r
zai-glm-5-2 1048576 131072 r 1.4 4.4 0.14 -
zai-glm-5-3 1048576 131072 r 1.4 4.4 0.14 -
zai-glm-5-3-flash 1048576 131072 vr 0.15 0.5 0.03 -
`
