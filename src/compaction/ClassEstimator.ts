import type { TokenEstimator } from "./TokenEstimator.ts"
export declare const classEstimator: TokenEstimator
