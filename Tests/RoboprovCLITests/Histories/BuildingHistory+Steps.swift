import Bluetooth
import EventLoop
import Foundation
import Model
import SampleFacts
import VirtualBuilding

extension BuildingHistory {
  /// Does something at random, and compares all outputs afterwards.
  mutating func takeStep(isSkipped: Bool) async throws {
    step += 1
    // A step that is left out does not change what the others draw.
    if isSkipped { return }
    chance = seeds.split(UInt64(step))
    let laptop = laptops[chance.chance(0.8) ? 0 : 1]
    let before = await flashes()
    let runsBefore = Dictionary(uniqueKeysWithValues: laptops.map { ($0, runs(of: $0)) })
    let done = try await act(laptop)
    if let button = done.button { pressed.insert(button) }
    log.append((step, "\(step). \(done.text)"))
    // A device that restarts is back by then.
    try await SystemClock().sleep(for: .seconds(2))
    let acting = done.laptop ?? laptop
    self.runsBefore = runsBefore[acting] ?? []
    let new = runs(of: acting).subtracting(self.runsBefore)
    for run in new where roomsAtRun[run] == nil {
      roomsAtRun[run] = try rooms()
      passwordsAtRun[run] = passwords
    }
    let after = await flashes()
    for (address, flash) in after where before[address] != flash {
      pressed.remove(address)
      lastChanges[address] = Change(step: step, run: done.isStranger ? nil : new.first)
    }
    if !runs(of: acting).isEmpty { try await checkAll(acting, after: done) }
    try transcript.end("\(step). \(done.text)", in: site.directory.appending(path: acting.folder))
  }

  /// What a step did.
  struct Done {
    var text: String
    var arguments: [String] = []
    var outcome: Invocation.Outcome?
    /// The laptop of the record that it may have changed; nil for the step's.
    var laptop: Laptop?
    /// Whether the devices were changed with a record that no other laptop gets.
    var isStranger = false
    /// The device whose button was pressed.
    var button: BluetoothAddress?

    /// The arguments without the name of a group.
    var words: [String] { arguments.first == "room" ? Array(arguments.dropFirst()) : arguments }
    var command: String? { words.first }
  }

  private func flashes() async -> [BluetoothAddress: Flash] {
    var flashes: [BluetoothAddress: Flash] = [:]
    for sensor in building.world.scenario.sensors {
      flashes[sensor.address] = await building.world.flash(of: sensor.address)
    }
    return flashes
  }

  private mutating func act(_ laptop: Laptop) async throws -> Done {
    if log.count == 1 { return try await apply(laptop) }
    switch Int.random(in: 0..<100, using: &chance) {
    case 0..<24: return try await apply(laptop)
    case 24..<36: return try await verify(laptop)
    case 36..<44: return try await accept(laptop)
    case 44..<51: return try await replace(laptop)
    case 51..<54: return try await retire(laptop)
    case 54..<58: return try rename()
    case 58..<63: return try renumber()
    case 63..<68: return try changeWiFi()
    case 68..<71: return try changeAddress()
    case 71..<77: return try await merge()
    case 77..<85: return try await changePower()
    case 85..<88: return try await swap()
    case 88..<92: return try await pressButton()
    case 92..<95: return try await stranger()
    default: return try await sign(laptop)
    }
  }

  // MARK: Runs

  private mutating func adapterChoice() -> [String] {
    guard adapters.count > 1, chance.chance(0.5) else { return [] }
    return ["--adapter", chance.pick(adapters).name]
  }

  private mutating func apply(_ laptop: Laptop) async throws -> Done {
    var arguments = [
      "apply", Self.manifest, "--yes", "--scan-time", "1", "--reports", laptop.reports, "--site-key",
      laptop.siteKey, "--operator", laptop.name,
    ]
    switch Int.random(in: 0..<6, using: &chance) {
    case 0: arguments += ["--only", chance.pick(places).name]
    case 1: arguments += ["--only", "floor:1"]
    case 2: arguments += ["--failed"]
    default: break
    }
    arguments += adapterChoice()
    if chance.chance(0.4) { arguments.append("--renumber") }
    if chance.chance(0.2) { arguments += ["--rebind", chance.pick(places).name] }
    if chance.chance(0.15) { arguments += ["--overwrite", chance.pick(places).name] }
    if !arguments.contains("--failed"), chance.chance(0.1) {
      arguments += ["--force", chance.pick(places).name]
    }
    let fate: Fate
    let words: String
    switch Int.random(in: 0..<10, using: &chance) {
    case 0, 1:
      let delay = chance.duration(in: .milliseconds(100)...(.seconds(4)))
      (fate, words) = (.interrupted(delay), ", Ctrl-C after \(delay)")
    case 2, 3:
      let delay = chance.duration(in: .milliseconds(100)...(.seconds(4)))
      (fate, words) = (.powerCut(delay), ", power cut after \(delay)")
    default: (fate, words) = (.none, "")
    }
    let before = runs(of: laptop)
    let outcome = await run(arguments, fate, laptop)
    if outcome.status == nil {
      // What a person does who finds a run without reports.
      for run in runs(of: laptop).subtracting(before).sorted() {
        await self.run(["report", Site.building, run, "--reports", laptop.reports])
      }
    }
    return Done(
      text: Self.words(arguments, outcome) + words, arguments: arguments, outcome: outcome, laptop: laptop)
  }

  static func words(_ arguments: [String], _ outcome: Invocation.Outcome) -> String {
    let error = outcome.errors.split(separator: "\n").first { $0.hasPrefix("roboprov: error: ") }
    return arguments.joined(separator: " ") + ": \(outcome.status.map(String.init) ?? "killed")"
      + (outcome.status == 0 ? "" : error.map { " (\($0))" } ?? "")
  }

  private mutating func verify(_ laptop: Laptop) async throws -> Done {
    let arguments =
      [
        "verify", Self.manifest, "--for", chance.chance(0.5) ? "5" : "10", "--reports", laptop.reports,
        "--site-key", laptop.siteKey,
      ] + adapterChoice()
    let outcome = await run(arguments)
    return Done(text: Self.words(arguments, outcome), arguments: arguments, outcome: outcome, laptop: laptop)
  }

  // MARK: Decisions of people

  /// The manifest, or sometimes the building's id.
  private mutating func subject() -> String { chance.chance(0.75) ? Self.manifest : Site.building }

  private mutating func amend(_ laptop: Laptop, _ arguments: [String]) async -> Done {
    let arguments = arguments + ["--reports", laptop.reports, "--site-key", laptop.siteKey]
    let outcome = await run(arguments)
    return Done(text: Self.words(arguments, outcome), arguments: arguments, outcome: outcome, laptop: laptop)
  }

  private mutating func accept(_ laptop: Laptop) async throws -> Done {
    let room = chance.pick(places).name
    return await amend(laptop, ["room", "accept", subject(), room, "--reason", "no power", "--by", "Ada"])
  }

  private mutating func replace(_ laptop: Laptop) async throws -> Done {
    let index = Int.random(in: places.indices, using: &chance)
    let place = places[index]
    var arguments = ["room", "replace", Self.manifest, place.name]
    if chance.chance(0.6) { arguments.append("--without-scan") } else { arguments += ["--scan-time", "1"] }
    let fitting = spares.firstIndex { $0.family.name == place.family.name }
    guard place.address != nil, let fitting, chance.chance(0.7) else {
      if chance.chance(0.3) { arguments[2] = Site.building }
      return await amend(laptop, arguments)
    }
    let new = spares[fitting].address
    if chance.chance(0.7) {
      // The old device is broken.
      if let old = place.address { await setPower(false, old) }
      await setPower(true, new)
    }
    let done = await amend(laptop, arguments + ["--with", "\(new)"])
    if done.outcome?.status == 0 {
      spares.remove(at: fitting)
      places[index].address = new
      await setPower(true, new)
    }
    return done
  }

  private mutating func retire(_ laptop: Laptop) async throws -> Done {
    let room = chance.pick(places).name
    return await amend(laptop, ["room", "retire", subject(), room, "--without-scan", "--reason", "storage"])
  }

  private mutating func sign(_ laptop: Laptop) async throws -> Done {
    try await makeSigningKey()
    return await amend(laptop, ["report", "sign", subject(), "--key", "qa"])
  }

  func makeSigningKey() async throws {
    guard !site.has("qa") else { return }
    _ = try await site.runTool(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "qa"])
  }

  // MARK: The manifest

  private mutating func rename() throws -> Done {
    let index = Int.random(in: places.indices, using: &chance)
    let old = places[index].name
    places[index].name = "Suite \(nextMinor())"
    try writeManifest()
    return Done(text: "\(old) is renamed to \(places[index].name)")
  }

  private mutating func renumber() throws -> Done {
    let index = Int.random(in: places.indices, using: &chance)
    places[index].number = nextMinor()
    try writeManifest()
    return Done(text: "\(places[index].name) gets number \(places[index].number)")
  }

  private mutating func changeWiFi() throws -> Done {
    if chance.chance(0.5) {
      let index = Int.random(in: places.indices, using: &chance)
      guard !["iot-design-shop", "firefly"].contains(places[index].family.name) else {
        return Done(text: "nothing")
      }
      places[index].network = 1 - places[index].network
      try writeManifest()
      return Done(text: "\(places[index].name) gets network \(places[index].network)")
    }
    let network = Int.random(in: 0...1, using: &chance)
    passwords[network] = "password \(nextMinor())"
    try writeManifest()
    return Done(text: "network \(network) gets a new password")
  }

  /// The manifest gets the address of an unused device, without `replace`.
  private mutating func changeAddress() throws -> Done {
    let index = Int.random(in: places.indices, using: &chance)
    let place = places[index]
    let fitting = spares.firstIndex { $0.family.name == place.family.name }
    guard let old = place.address, let fitting else { return Done(text: "nothing") }
    let new = spares.remove(at: fitting).address
    places[index].address = new
    try writeManifest()
    return Done(text: "\(place.name) gets \(new) in the manifest instead of \(old)")
  }

  // MARK: Laptops

  private mutating func merge() async throws -> Done {
    let folders = laptops.filter { !runs(of: $0).isEmpty }.map(\.folder)
    guard folders.count == 2 else { return Done(text: "nothing") }
    let target = laptops[chance.chance(0.8) ? 0 : 1]
    let arguments = ["report", "merge"] + folders + ["--into", target.reports, "--output", "json"]
    let outcome = await run(arguments)
    return Done(text: Self.words(arguments, outcome), arguments: arguments, outcome: outcome, laptop: target)
  }

  // MARK: Devices

  mutating func setPower(_ isOn: Bool, _ address: BluetoothAddress) async {
    if isOn { silent.remove(address) } else { silent.insert(address) }
    await building.world.setMuted(!isOn, address)
  }

  private mutating func someDevice() -> BluetoothAddress {
    if let address = chance.pick(places).address { return address }
    return building.world.scenario.sensors[Int.random(in: places.indices, using: &chance)].address
  }

  private mutating func changePower() async throws -> Done {
    let address = someDevice()
    let isOn = silent.contains(address)
    await setPower(isOn, address)
    return Done(text: "\(address) \(isOn ? "comes back" : "dies")")
  }

  /// Somebody takes a device away and puts another one in its place.
  private mutating func swap() async throws -> Done {
    let address = someDevice()
    guard let spare = spares.first else { return Done(text: "nothing") }
    await setPower(false, address)
    await setPower(true, spare.address)
    return Done(text: "somebody swaps \(address) for \(spare.address)")
  }

  private mutating func pressButton() async throws -> Done {
    let address = someDevice()
    await building.world.pressButton(address)
    return Done(text: "the button of \(address)", button: address)
  }

  /// Somebody with another manifest, whose record nobody gets, gives a device other settings.
  private mutating func stranger() async throws -> Done {
    guard !matchesAny else { return Done(text: "nothing") }
    let index = Int.random(in: places.indices, using: &chance)
    var place = places[index]
    place.number = nextMinor()
    var stranger = self
    stranger.passwords = ["of a stranger", "also of a stranger"]
    try site.write(
      "stranger.yaml", stranger.text(of: [place]).replacing("id: \(Site.building)", with: "id: stranger"))
    if let address = place.address { await building.world.pressButton(address) }
    try await SystemClock().sleep(for: .seconds(1))
    let arguments = ["apply", "stranger.yaml", "--yes", "--scan-time", "1", "--reports", "stranger-\(step)"]
    let outcome = await run(arguments)
    return Done(
      text: "for \(place.name): " + Self.words(arguments, outcome), isStranger: true, button: place.address)
  }
}
