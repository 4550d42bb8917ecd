import Application
import ArgumentParser
import FoundationEssentials
import Model

/// `roboprov retire`: takes a room and its sensor out of service.
struct RetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Take a room and its sensor out of service.",
    discussion: """
      roboprov retire building.yaml 'Room 312' --reason 'room is now storage'
      roboprov retire seeblick room-312 --without-scan

      Scans first, and refuses while the sensor is still on air with the room's identity, as `replace` does. Later runs skip the \
      room unless --force names it.
      """)

  @OptionGroup var subject: RoomArguments

  @Option(help: ArgumentHelp("The reason, for the record.", valueName: "text"))
  var reason: String?

  @OptionGroup var silence: SilenceOptions

  @Option(name: .output, help: "Format of stdout: nothing (text), or the change for programs (json).")
  var output = OutputFormat.text

  func run() async throws {
    let amendment = try Amendment(subject.building, in: subject.record.keeping, siteKey: subject.seal.siteKey)
    let room = try amendment.room(subject.room)
    let name = amendment.name(of: room)
    guard amendment.lastKnown.rooms[room]?.retirement == nil else {
      throw CommandFailure(.usage, "\(name) is already out of service")
    }
    let devices = amendment.lastKnown.rooms[room]?.bindings.map(\.address).sorted() ?? []
    let (silent, adapters) = try await silence.check(devices, of: room, in: amendment)
    let released = devices.map { device in
      Fact.bindingReleased(
        .init(
          room: room, address: device, cause: .retired, reason: reason, silent: silent[device],
          adapters: adapters))
    }
    let report = try await amendment.commit(
      .retire, released + [.roomRetired(.init(room: room, reason: reason))], of: room)
    let change = ChangeJSON(
      kind: .retire, building: amendment.building.id, room: room, name: name, run: amendment.run.id,
      released: devices.map { ($0, silent[$0]) }, adapters: adapters, reason: reason)
    change.show(as: output)
    Console.say("\(name) is out of service" + (devices.first.map { ", with its sensor \($0)." } ?? "."))
    if let next = amendment.next(after: report) { Console.say(next) }
  }
}
