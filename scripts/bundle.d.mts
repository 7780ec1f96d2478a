export declare const pageAssets: () => Promise<{ readonly script: string; readonly style: string }>
export declare const bundleCommand: (outfile: string) => Promise<unknown>
