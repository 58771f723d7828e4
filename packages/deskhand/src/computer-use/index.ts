export { Computer, type ComputerOptions, type Picture } from './computer.ts'
export { answerGemini, NOT_ON_A_DESKTOP, type GeminiAnswer } from './gemini.ts'
export { answerOpenAI, type OpenAIAnswer } from './openai.ts'
