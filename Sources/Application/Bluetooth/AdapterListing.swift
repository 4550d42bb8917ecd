package import Bluetooth
package import Model
package import Reporting

/// The adapters of this computer, as text and JSON.
package struct AdapterListing: Sendable {
  /// Version of the JSON form.
  package static let schema = "roboprov/adapters/1"

  package struct Entry: Sendable {
    let adapter: Adapter
    /// Its entry in the manifest; nil without one.
    let description: AdapterDescription?
    let block: RadioBlock?
    /// The devices to which it holds a link; nil if unknown.
    let links: [BluetoothAddress]?
  }

  /// Sorted by name.
  let entries: [Entry]
  /// Adapters of the manifest that are not present, in its order.
  let missing: [AdapterDescription]

  /// Reads the adapters and their links.
  /// - Parameter files: The kernel's files about the adapters; nil if the adapters belong to another host or
  ///   are virtual.
  /// - Throws: The error of the stack.
  package static func read(
    _ central: any Central, _ files: ControllerFiles?, for building: Building?
  ) async throws(CentralError) -> AdapterListing {
    var entries: [Entry] = []
    let adapters = try await central.adapters()
    for var adapter in adapters.sorted(by: { $0.name < $1.name }) {
      adapter.hardware = files?.hardware(of: adapter.name, adding: adapter.hardware) ?? adapter.hardware
      let links = try? await central.connectedPeripherals(on: adapter.id)
      entries.append(
        Entry(
          adapter: adapter, description: building?.description(of: adapter),
          block: RadioBlock(adapter.state, kernel: files?.block(of: adapter.name)),
          links: links?.map(\.address)))
    }
    let missing = (building?.adapters ?? []).filter { description in
      !adapters.contains(where: description.reference.names)
    }
    return AdapterListing(entries: entries, missing: missing)
  }

  // MARK: For people

  /// The table, one line for each adapter.
  package func table(hasManifest: Bool) -> String {
    guard !entries.isEmpty else { return "There is no Bluetooth adapter.\n" }
    let rows = entries.map { entry in
      let adapter = entry.adapter
      let title = [entry.description?.alias, entry.description?.place].compactMap(\.self).joined(
        separator: ", ")
      let powered = adapter.state == .ready ? "yes" : "no"
      return [adapter.name, adapter.id.description] + (hasManifest ? [title.isEmpty ? "-" : title] : []) + [
        powered, entry.block?.words ?? "unknown", entry.links.map { String($0.count) } ?? "unknown",
        adapter.hardware?.title ?? "unknown", adapter.hardware?.path ?? "-",
      ]
    }
    let named = hasManifest ? ["NAME"] : []
    return Table.text(
      header: ["ADAPTER", "ADDRESS"] + named + ["POWERED", "BLOCKED", "LINKS", "CONTROLLER", "PATH"],
      rows: rows)
  }

  /// A warning for each adapter of the manifest that is not present.
  package var missingLines: [String] {
    missing.map { description in
      let title = [description.alias, description.place].compactMap(\.self).joined(separator: ", ")
      let name = title.isEmpty ? description.reference.text : "\(title) (\(description.reference.text))"
      return "roboprov: warning: the manifest's adapter \(name) is not present"
    }
  }

  // MARK: For programs

  package var json: JSONValue { Self.form.value(self) }

  static let form = OutputForm<AdapterListing>("adapters", "The Bluetooth adapters of a computer.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("adapters", "The adapters that BlueZ has, by name.", each: entryForm) { $0.entries }
    Field(
      "missing", "Adapters that the manifest names and that are not present, in its order.", each: missingForm
    ) { $0.missing }
  }

  private static let entryForm = OutputForm<Entry>("listed_adapter", "An adapter as it is now.") {
    Field("name", "Its name on the host: `hci0`.") { $0.adapter.name }
    Field("address", "Its Bluetooth address, which does not change.") { $0.adapter.id }
    Field("alias", "Its name in the manifest; null if it has none.") { $0.description?.alias }
    Field("place", "Its place in the manifest; null if it has none.") { $0.description?.place }
    Field("powered", "Whether it is switched on.") { $0.adapter.state == .ready }
    Field("blocked", "Whether rfkill blocks it; null if unknown.") { $0.block }
    Field(
      "hardware", "Its controller; null if nothing is known about it.",
      optional: JSONReport.hardware
    ) { $0.adapter.hardware }
    Field("links", "The devices that it holds a link to; null if unknown.") { $0.links }
  }

  private static let missingForm = OutputForm<AdapterDescription>(
    "missing_adapter", "An adapter of the manifest that is not present."
  ) {
    Field("adapter", "Its name or address, as the manifest has it.") { $0.reference.text }
    Field("alias", "Its name in the manifest; null if it has none.") { $0.alias }
    Field("place", "Its place in the manifest; null if it has none.") { $0.place }
  }
}
