import Application
import ArgumentParser
import Bluetooth
import Manifest
import Model

/// `roboprov room replace`: takes a room's sensor out of service, so that the room can get another one.
struct ReplaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Take a room's device out of service, so that the room can get another one.",
    discussion: """
      roboprov room replace building.yaml 'Room 312' --with C4:7C:8D:00:00:07 --reason 'broken battery clip'
      roboprov room replace seeblick room-312 --without-scan

      Scans first, and refuses while the old device is still on air with the room's identity: it could not be distinguished from \
      the new one. --with writes the new device's address into the manifest. Then run `apply`, which provisions the new device.
      """)

  @OptionGroup var arguments: AmendmentArguments
  @OptionGroup var release: ReleaseOptions

  @Option(
    help: ArgumentHelp("The old device, if merged records have several for the room.", valueName: "address"))
  var device: String?

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("Write this address of the new device into the manifest.", valueName: "address"))
  var successor: String?

  func run() async throws {
    let successor = try wantedSuccessor()
    let amendment = try arguments.amendment()
    let name = amendment.name
    if let successor {
      try requireFree(successor, in: amendment)
      // An earlier command was killed between the two writes: it changed the record and not the manifest.
      if amendment.hasSuccessor(successor) { return try complete(successor, in: amendment) }
    }
    let old = try device(in: amendment)
    guard old != successor else {
      throw CommandFailure(
        .usage, "--with: \(old) is already the device of \(name)",
        advice: "Give the address of the new device.")
    }
    let released = try await release.facts([old], .replaced, successor: successor, in: amendment)
    // The edit is made first: a change of the manifest that fails must not be on record.
    let edit = try successor.flatMap { try self.edit($0, in: amendment) }
    let acceptance = amendment.known?.acceptance.map {
      "\(name): the acceptance by \($0.by.visible) ends with that device."
    }
    let result =
      successor.map { "the manifest now has \($0)." } ?? "the next run can assign another device."
    let isInManifest = successor == nil && amendment.wanted?.address == old
    try await arguments.commit(
      .replace, released, of: amendment, with: edit,
      saying: [
        acceptance, "\(name): \(old) is out of service; \(result)",
        isInManifest
          ? "The manifest still has this address. Replace it, or run the command again with --with ADDRESS."
          : nil,
      ] + amendment.keptBonds(with: [old]))
  }

  // MARK: The new device

  private func wantedSuccessor(beside known: [BluetoothAddress]? = nil) throws -> BluetoothAddress? {
    guard let successor else { return nil }
    do throws(LabelProblem) {
      return try LabelText.address(in: successor, beside: known)
    } catch {
      throw CommandFailure(.usage, "--with: \(LabelWords.sentence(error))")
    }
  }

  /// Checks that the address belongs to no other room.
  private func requireFree(_ address: BluetoothAddress, in amendment: RoomAmendment) throws {
    guard let source = amendment.base.building.source else {
      throw CommandFailure(
        .usage,
        "--with writes the address into the manifest, and \(arguments.subject.building.visible) is not a manifest",
        advice: "Name the building by its manifest.")
    }
    _ = try wantedSuccessor(beside: source.building.rooms.compactMap(\.address))
    let other =
      source.building.rooms.first { $0.id != amendment.room && $0.address == address }?.id
      ?? amendment.base.lastKnown.rooms.filter { entry in
        entry.key != amendment.room && entry.value.bindings.contains { $0.address == address }
      }.map(\.key).min()
    guard let other else { return }
    throw CommandFailure(
      .usage, "--with: \(address) is the device of \(amendment.names.name(of: other)); nothing was changed",
      advice: "Compare it with the label of the new device.")
  }

  /// Writes the address, which is on record already, into the manifest.
  private func complete(_ successor: BluetoothAddress, in amendment: RoomAmendment) throws {
    let edit = try self.edit(successor, in: amendment)
    if let edit { try ManifestFile.write(edit) }
    Console.say(
      "\(amendment.name): \(successor) is already the new device on record. The manifest has it now.")
    var change = ChangeJSON(
      "replace", of: amendment.room, called: amendment.name, in: amendment.base.building.id)
    (change.successor, change.isManifestChanged, change.reason) = (successor, edit != nil, release.reason)
    arguments.subject.show(change)
  }

  /// The edit that writes the address into the manifest; nil if the manifest already has it.
  private func edit(
    _ address: BluetoothAddress, in amendment: RoomAmendment
  ) throws -> ManifestEditor.Edit? {
    try ManifestFile(arguments.subject.building).setting(.address(address), of: amendment.room)
  }

  // MARK: The old device

  private func device(in amendment: RoomAmendment) throws -> BluetoothAddress {
    let (name, bound) = (amendment.name, amendment.devices)
    guard !bound.isEmpty else {
      throw CommandFailure(
        .usage, "\(name) has no device on record", advice: "Run `roboprov apply` to give it one.")
    }
    let list = bound.map(\.description).joined(separator: ", ")
    if let text = device {
      guard let wanted = BluetoothAddress(text), bound.contains(wanted) else {
        throw CommandFailure(
          .usage, "--device: \(text.visible) is not a device of \(name)", advice: "On record: \(list).")
      }
      return wanted
    }
    guard bound.count == 1 else {
      throw CommandFailure(
        .usage, "\(name) has several devices on record: \(list)", advice: "Name one with --device ADDRESS.")
    }
    return bound[0]
  }
}

extension RoomAmendment {
  /// Whether the record already has this device as the successor of the room's released device, and the room
  /// got no device since.
  fileprivate func hasSuccessor(_ address: BluetoothAddress) -> Bool {
    devices.isEmpty && known?.release?.successor == address
  }
}
