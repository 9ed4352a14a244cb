// A Parquet file as comma separated text, since the engine has no library that reads Parquet. Imported by audit.js.
import { parquetMetadata, parquetReadObjects, parquetSchema, toJson } from "./engine/parquet/index.js";
import { decompress } from "./engine/zstd/index.js";

// Numbers keep every digit, days stand without an hour, and a value that is missing leaves its place empty.
function text(value) {
  if (value == null || Number.isNaN(value)) return "";
  if (value instanceof Date) return value.toISOString().replace("T00:00:00.000Z", "");
  const words = typeof value === "object" ? JSON.stringify(toJson(value)) : String(value);
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}

export async function parquetAsText(file) {
  const metadata = parquetMetadata(file);
  const columns = parquetSchema(metadata).children.map((column) => column.element.name)
    .filter((name) => !/^__index_level_\d+__$/.test(name)); // row numbers, which pandas kept
  const compressors = { ZSTD: (bytes, length) => decompress(bytes, new Uint8Array(length)) };
  const rows = await parquetReadObjects({ file, metadata, columns, compressors });
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((values) => `${values.map(text).join(",")}\n`).join("");
}
