import Application
import ArgumentParser
import FoundationEssentials
import Host
import Model
import Reporting

/// `roboprov find`: shows the signal strength of one device.
struct FindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Show the signal strength of one device while you walk towards it.",
    discussion: """
      roboprov find C4:7C:8D:00:00:07
      roboprov find building.yaml 'Room 312' --bell
      roboprov find building.yaml 'Room 312' --for 60
      roboprov find building.yaml 'Room 312' --identify

      With --identify it first connects to the device and asks it to blink, if the device offers that; repeat the command to \
      see it again. Nothing is written otherwise.

      Scans on all adapters and shows the strongest signal, with its adapter if there are several. Draws a bar that grows as you come closer, until Ctrl-C. If stdout or stderr is not a terminal, it prints one line per \
      second instead. Exit status \(ExitStatus.incomplete.rawValue) if the device was not received.
      """)

  @Argument(
    help: ArgumentHelp(
      "The building that has the room, or the device alone: its address or label.",
      valueName: "building.yaml or address"), completion: .yaml)
  var first: String

  @Argument(
    help: ArgumentHelp(
      "The room, by id or name, or one of the building's devices.", valueName: "room or address"),
    completion: .room)
  var second: String?

  @Flag(help: "Sound the terminal's bell; the stronger the signal, the faster it sounds.")
  var bell = false

  @Flag(help: "Connect to the device first and make it blink, if it can.")
  var identify = false

  @OptionGroup var record: KnownRecordOptions

  @OptionGroup var radio: ScanOptions
  @OptionGroup var simulation: SimulationOptions

  func run() async throws {
    let (name, manifest) = (second ?? first, second == nil ? nil : first)
    let known = try manifest.map { try KnownBuilding.load($0, reports: record.reports) }
    let target = try FindTarget.find(name, in: known)
    if identify, target.address == nil {
      throw CommandFailure(
        .usage, "--identify needs the address of one device, and “\(name.visible)” gives none",
        advice: "`roboprov scan` lists the devices on air; name one by its address.")
    }
    let isLive = Screen.standardOutput.isTerminal && Screen.standardError.isTerminal
    if bell, !isLive {
      Console.say("roboprov: warning: --bell has no effect: stdout or stderr is not a terminal")
    }
    let wasReceived = try await simulation.access.joining(radio.hosts, of: known?.building).with(
      rehearsing: known, at: isLive || radio.duration == nil ? .watched : .virtual
    ) { stack in
      if identify, let address = target.address {
        let link = DeviceLink(
          stack: stack, adapters: radio.choice, scanTime: radio.seconds ?? RadioOptions.usualScanTime,
          building: known?.building)
        try await link.identify(address)
        Console.say("Asked \(address) to blink")
      }
      let display = SignalDisplay(target, clock: stack.clock, isLive: isLive, hasBell: bell)
      let reception = Reception(
        stack: stack, adapters: radio.choice, building: known?.building,
        window: ScanWindow(silence: .seconds(1)) { target.matches($0) })
      do {
        try await Interruptions().cancelling { [duration = radio.duration] in
          try await reception.run(
            for: duration, every: display.pace, { await display.tick() },
            { await display.handle($0) })
        }
      } catch {
        await display.end()
        throw error
      }
      await display.end()
      return await display.wasReceived
    }
    if !wasReceived { throw ExitStatus.incomplete }
  }
}
