import * as z from "zod";

/** What is read of a Jupyter notebook on disk (nbformat 4): its cells in order. Everything else may be anything. */
export const NotebookFile = z.object({
  metadata: z
    .object({
      language_info: z.object({ name: z.string() }).optional().catch(undefined),
      kernelspec: z.object({ language: z.string() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  cells: z.array(
    z.object({
      cell_type: z.string(),
      /** One text, or its lines with their line ends. */
      source: z.union([z.string(), z.array(z.string())]).default(""),
      metadata: z
        .object({
          tags: z.array(z.string()).optional().catch(undefined),
          vscode: z.object({ languageId: z.string() }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  ),
});
export type NotebookFile = z.infer<typeof NotebookFile>;
