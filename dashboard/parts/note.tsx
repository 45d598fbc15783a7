/** What is wrong with the farm, and what to do about it. A request that failed is shown by `Trouble`. */
export const Note = ({ what, cure }: { readonly what: string; readonly cure: string }) => (
  <div class="trouble">
    <p>
      <strong>{what}</strong> {cure}
    </p>
  </div>
)
