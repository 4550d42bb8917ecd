import Application
import Journal
import ArgumentParser
import Bluetooth
import FoundationEssentials
import Glibc
import Manifest
import Model

/// `roboprov replace`: takes a room's sensor out of service, so that the room can get another one.
struct ReplaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Take a room's sensor out of service, so that the room can get another one.",
    discussion: """
      roboprov replace building.yaml 'Room 312' --with C4:7C:8D:00:00:07 --reason 'broken battery clip'
      roboprov replace seeblick room-312 --without-scan

      Scans first, and refuses while the old sensor is still on air with the room's identity: it could not be distinguished from \
      the new one. --with writes the new sensor's address into the manifest. Then run `apply`, which provisions the new sensor.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("The reason, for the record.", valueName: "text"))
  var reason: String?

  @Option(
    help: ArgumentHelp("The old sensor, if merged records have several for the room.", valueName: "address"))
  var device: String?

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("Write this address of the new sensor into the manifest.", valueName: "address"))
  var successor: String?

  @OptionGroup var silence: SilenceOptions

  @Option(name: .output, help: "Format of stdout: nothing (text), or the change for programs (json).")
  var output = OutputFormat.text

  func run() async throws {
    let successor = try wantedSuccessor()
    let amendment = try Amendment(subject.building, in: subject.record.keeping, siteKey: subject.seal.siteKey)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    if let successor {
      try requireFree(successor, for: room, in: amendment)
      // An earlier command was killed between the two writes: it changed the record and not the manifest.
      if amendment.hasSuccessor(successor, of: room) {
        let edit = try self.edit(successor, of: room)
        if let edit { try ManifestFile.write(edit) }
        Console.say("\(name): \(successor) is already the new sensor on record. The manifest has it now.")
        let change = ChangeJSON(
          kind: .replace, building: amendment.building.id, room: room, name: name, run: nil,
          successor: successor, isManifestChanged: edit != nil, reason: reason)
        change.show(as: output)
        return
      }
    }
    let old = try device(of: room, in: amendment)
    guard old != successor else {
      throw CommandFailure(
        .usage, "--with: \(old) is already the sensor of \(name)",
        advice: "Give the address of the new sensor.")
    }
    let (silent, adapters) = try await silence.check([old], of: room, in: amendment)
    // The edit is made first: a change of the manifest that fails must not be on record.
    let edit = try successor.flatMap { try self.edit($0, of: room) }
    let report = try await amendment.commit(
      .replace,
      [
        .bindingReleased(
          .init(
            room: room, address: old, cause: .replaced, reason: reason, silent: silent[old],
            adapters: adapters, successor: successor))
      ], of: room)
    if let edit { try write(edit) }
    let change = ChangeJSON(
      kind: .replace, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      released: [(old, silent[old])], adapters: adapters, successor: successor,
      isManifestChanged: edit != nil, reason: reason)
    change.show(as: output)
    if let acceptance = amendment.lastKnown.rooms[room]?.acceptance {
      Console.say("\(name): the acceptance by \(acceptance.by.visible) ends with that device.")
    }
    if let successor {
      Console.say("\(name): \(old) is out of service; the manifest now has \(successor).")
    } else {
      Console.say("\(name): \(old) is out of service; the next run can assign another sensor.")
    }
    if successor == nil,
      amendment.building.source?.building.rooms.first(where: { $0.id == room })?.address == old
    {
      Console.say(
        "The manifest still has this address. Replace it, or run the command again with --with ADDRESS."
      )
    }
    if let next = amendment.next(after: report) { Console.say(next) }
  }

  // MARK: The new sensor

  private func wantedSuccessor(beside known: [BluetoothAddress]? = nil) throws -> BluetoothAddress? {
    guard let successor else { return nil }
    do throws(LabelProblem) {
      return try LabelText.address(in: successor, beside: known)
    } catch {
      throw CommandFailure(.usage, "--with: \(LabelWords.sentence(error))")
    }
  }

  /// Checks that the address belongs to no other room.
  private func requireFree(
    _ address: BluetoothAddress, for room: RoomID, in amendment: Amendment
  ) throws {
    guard let source = amendment.building.source else {
      throw CommandFailure(
        .usage,
        "--with writes the address into the manifest, and \(subject.building.visible) is not a manifest",
        advice: "Name the building by its manifest.")
    }
    _ = try wantedSuccessor(beside: source.building.rooms.compactMap(\.address))
    let other =
      source.building.rooms.first { $0.id != room && $0.address == address }?.id
      ?? amendment.lastKnown.rooms.filter { entry in
        entry.key != room && entry.value.bindings.contains { $0.address == address }
      }.map(\.key).min()
    guard let other else { return }
    throw CommandFailure(
      .usage, "--with: \(address) is the sensor of \(amendment.name(of: other)); nothing was changed",
      advice: "Compare it with the label of the new sensor.")
  }

  /// The edit that writes the address into the manifest; nil if the manifest already has it.
  private func edit(_ address: BluetoothAddress, of room: RoomID) throws -> ManifestEditor.Edit? {
    try ManifestFile(subject.building).setting(.address(address), of: room)
  }

  private func write(_ edit: ManifestEditor.Edit) throws {
    do {
      try ManifestFile.write(edit)
    } catch let failure as CommandFailure {
      throw CommandFailure(
        failure.status, "the replacement is on record, but the manifest is unchanged: \(failure.message)",
        advice: "Run the same command again: it then changes the manifest.")
    }
  }

  // MARK: The old sensor

  private func device(of room: RoomID, in amendment: Amendment) throws -> BluetoothAddress {
    let name = amendment.name(of: room)
    let bound = amendment.lastKnown.rooms[room]?.bindings.map(\.address).sorted() ?? []
    guard !bound.isEmpty else {
      throw CommandFailure(
        .usage, "\(name) has no sensor on record", advice: "Run `roboprov apply` to give it one.")
    }
    let list = bound.map(\.description).joined(separator: ", ")
    if let text = device {
      guard let wanted = BluetoothAddress(text), bound.contains(wanted) else {
        throw CommandFailure(
          .usage, "--device: \(text.visible) is not a sensor of \(name)", advice: "On record: \(list).")
      }
      return wanted
    }
    guard bound.count == 1 else {
      throw CommandFailure(
        .usage, "\(name) has several sensors on record: \(list)", advice: "Name one with --device ADDRESS.")
    }
    return bound[0]
  }
}

extension Amendment {
  /// Whether the record already has this device as the successor of the room's released device, and the room
  /// got no device since.
  fileprivate func hasSuccessor(_ address: BluetoothAddress, of room: RoomID) -> Bool {
    guard lastKnown.rooms[room]?.bindings.isEmpty ?? false else { return false }
    let released = archive.runs.flatMap(\.record.events).last { event in
      if case .bindingReleased(let fact) = event.fact { fact.room == room } else { false }
    }
    guard case .bindingReleased(let fact)? = released?.fact else { return false }
    return fact.successor == address
  }
}
