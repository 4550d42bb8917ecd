import ArgumentParser
import Bluetooth
import Foundation
import Journal
import Labels
import Manifest
import Model
import Reporting

/// `roboprov replace`: a room's sensor is out of service; the room gets another.
struct ReplaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Take a room's sensor out of service, so that the next run may give the room another.",
    discussion: """
      Listens first: a sensor that is still on air with the room's minor would be taken for its successor. Then \
      `apply` provisions the new one: give its address with --with, which writes it into the manifest, or let the room \
      take any.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("Why; on record.", valueName: "text"))
  var reason: String?

  @Option(
    help: ArgumentHelp("Which sensor, where merged records have several for the room.", valueName: "address"))
  var device: String?

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("The new sensor's address: written into the manifest.", valueName: "address"))
  var successor: String?

  @OptionGroup var silence: SilenceOptions

  @Option(help: "What goes to stdout: nothing, or the change for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let successor = try wantedSuccessor()
    let amendment = try Amendment(subject.building, in: subject.places, sealedBy: subject.seal)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    if let successor {
      try requireFree(successor, for: room, in: amendment)
      // Killed between the two, the command has changed the record and not the manifest.
      if amendment.hasSuccessor(successor, of: room) {
        let edit = try self.edit(successor, of: room)
        if let edit { try ManifestFile.write(edit) }
        Console.say("On record already: \(successor) is \(name)'s new sensor. The manifest has it now.")
        let change = ChangeJSON.Source(
          kind: .replace, building: amendment.building.id, room: room, name: name, run: nil,
          successor: successor, isManifestChanged: edit != nil, reason: reason)
        ChangeJSON.show(change, as: output)
        return
      }
    }
    let old = try device(of: room, in: amendment)
    guard old != successor else {
      throw CommandFailure(
        .usage, "--with: \(old) is \(name)'s sensor already",
        cure: "There is nothing to replace: give the address of the new one.")
    }
    let silent = try await silence.check([old])
    // What cannot be written afterwards is not put on record.
    let edit = try successor.flatMap { try self.edit($0, of: room) }
    try await amendment.commit(
      .replace,
      [
        .bindingReleased(
          .init(
            room: room, address: old, cause: .replaced, reason: reason, silent: silent[old],
            successor: successor))
      ], of: room)
    if let edit { try write(edit) }
    let change = ChangeJSON.Source(
      kind: .replace, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      released: [(old, silent[old])], successor: successor, isManifestChanged: edit != nil, reason: reason)
    ChangeJSON.show(change, as: output)
    if let successor {
      Console.say("\(old) is out of service; the manifest gives \(name) the sensor \(successor).")
      return
    }
    Console.say("\(old) is out of service; the next run may give \(name) another sensor.")
    if amendment.building.source?.building.rooms.first(where: { $0.id == room })?.address == old {
      Console.say(
        "The manifest still names it: give \(name) the address of the new one, or let `replace … --with ADDRESS` do so."
      )
    }
  }

  // MARK: The new sensor

  private func wantedSuccessor() throws -> BluetoothAddress? {
    guard let successor else { return nil }
    do throws(LabelProblem) {
      return try LabelText.address(in: successor)
    } catch {
      throw CommandFailure(.usage, "--with: \(LabelWords.sentence(error))")
    }
  }

  /// Makes sure that the address can be the room's.
  private func requireFree(
    _ address: BluetoothAddress, for room: RoomID, in amendment: Amendment
  ) throws {
    guard let source = amendment.building.source else {
      throw CommandFailure(
        .usage, "--with writes the address into the manifest, and \(subject.building.visible) is none",
        cure: "Name the building by its manifest.")
    }
    let other =
      source.building.rooms.first { $0.id != room && $0.address == address }?.id
      ?? amendment.standing.rooms.filter { entry in
        entry.key != room && entry.value.bindings.contains { $0.address == address }
      }.map(\.key).min()
    guard let other else { return }
    throw CommandFailure(
      .usage, "--with: \(address) is the sensor of \(amendment.name(of: other))",
      cure: "Compare it with the label of the new one. Nothing was changed.")
  }

  /// The change of the manifest, as it is now; nil where it has the address already.
  private func edit(_ address: BluetoothAddress, of room: RoomID) throws -> ManifestEditor.Edit? {
    try ManifestFile(subject.building).setting(address, of: room)
  }

  private func write(_ edit: ManifestEditor.Edit) throws {
    do {
      try ManifestFile.write(edit)
    } catch let failure as CommandFailure {
      throw CommandFailure(
        failure.status, "it is on record that the sensor was replaced, but \(failure.message)",
        cure: "Give the same command again: it then changes the manifest.")
    }
  }

  // MARK: The old sensor

  private func device(of room: RoomID, in amendment: Amendment) throws -> BluetoothAddress {
    let name = amendment.name(of: room)
    let bound = amendment.standing.rooms[room]?.bindings.map(\.address).sorted() ?? []
    guard !bound.isEmpty else {
      throw CommandFailure(
        .usage, "\(name) has no sensor on record", cure: "There is nothing to replace: run `roboprov apply`.")
    }
    let list = bound.map(\.description).joined(separator: ", ")
    if let text = device {
      guard let wanted = BluetoothAddress(text), bound.contains(wanted) else {
        throw CommandFailure(
          .usage, "--device: \(name) does not have \(text) on record", cure: "It has \(list).")
      }
      return wanted
    }
    guard bound.count == 1 else {
      throw CommandFailure(
        .usage, "\(name) has several sensors on record: \(list)", cure: "Say which with --device.")
    }
    return bound[0]
  }
}

extension Amendment {
  /// Whether it is on record that this device takes the place of the room's, which has none since.
  fileprivate func hasSuccessor(_ address: BluetoothAddress, of room: RoomID) -> Bool {
    guard standing.rooms[room]?.bindings.isEmpty ?? false else { return false }
    let released = record.archive.runs.flatMap(\.record.events).last { event in
      if case .bindingReleased(let fact) = event.fact { fact.room == room } else { false }
    }
    guard case .bindingReleased(let fact)? = released?.fact else { return false }
    return fact.successor == address
  }
}
