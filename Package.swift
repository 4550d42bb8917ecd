// swift-tools-version: 6.2
import PackageDescription

/// The settings of all our targets: Swift 6 mode, warnings are errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The commit that is built, for `--version`. Scripts/build gets it from git. The filter keeps everything else out of the
/// compiler's command.
let commit = String(
  (Context.environment["ROBOPROV_COMMIT"] ?? "unknown").filter {
    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+")
  })

/// Also optimised in a debug build: whole buildings in virtual time are most of the tests' processor time.
let fast = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [],
  resources: [Resource]? = nil, settings: [SwiftSetting] = fast
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources,
    swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name)] + dependencies,
    swiftSettings: strict)
}

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "roboprov",
  products: [
    .executable(name: "roboprov", targets: ["roboprov"]),
    // For the guest of the radio lab. It is not installed.
    .executable(name: "bluez-conformance", targets: ["BlueZConformance"]),
    // Provisions random buildings in virtual time (`make campaign`).
    .executable(name: "roboprov-campaign", targets: ["Campaigns"]),
    // Measures the engine (`make bench`).
    .executable(name: "roboprov-bench", targets: ["Benchmarks"]),
    // For tests that kill the built program. It is preloaded, and no target links it.
    .library(name: "KillSwitch", type: .dynamic, targets: ["KillSwitch"]),
    // For tests of the process that reads photos, in the place of zxing-cpp.
    .library(name: "HostileReader", type: .dynamic, targets: ["HostileReader"]),
  ],
  dependencies: [
    // Exact versions, so that a version of roboprov is always built from the same sources. Scripts/manual reads what the first
    // one says of the commands, which has no stable form.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    // EspMessages.pb.swift is generated for this version. Its traits would bring Foundation into the program.
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
  ],
  targets: [
    // System libraries, and the few kernel calls that Swift does not import.
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CGcrypt", pkgConfig: "libgcrypt", providers: [.apt(["libgcrypt20-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CLinux"),
    // libmicrohttpd, which is loaded when it is used.
    .target(name: "CHTTP"),
    // zxing-cpp, loaded by the process that reads a photo.
    .target(name: "CPhoto"),
    .target(name: "CCommit", cSettings: [.define("ROBOPROV_COMMIT", to: "\"\(commit)\"")]),

    // One utility each.
    library("Hex"),
    library("Digest", ["CGcrypt", "Hex"]),
    library("QRCode", ["CQREncode"]),
    library("Ciphers", ["CGcrypt", "Digest", "Hex"]),
    // The messages of Espressif's provisioning, generated from EspMessages.proto (`make proto`).
    library("EspMessages", [protobuf], exclude: ["EspMessages.proto"]),

    // The basic types, and the access to the radio.
    library("Bluetooth", ["Hex", .product(name: "DequeModule", package: "swift-collections")]),
    library("Waiting", ["Bluetooth"]),
    library("EventLoop", ["Bluetooth", "CLinux"]),
    library("HTTP", ["CHTTP", "CLinux", "Bluetooth", "EventLoop"]),
    library("DBus", ["CDBus", "CLinux", "EventLoop", "Waiting", logging]),
    library("BlueZ", ["Waiting", "Bluetooth", "EventLoop", "DBus", logging]),

    // The building, its devices and a run; the engine, its inputs and its outputs.
    library("Model", ["Hex", "Bluetooth"]),
    library(
      "Session",
      [
        "Waiting", "Model", "Bluetooth",
        .product(name: "DequeModule", package: "swift-collections"),
      ]),
    library(
      "Families",
      ["Digest", "Ciphers", "EspMessages", "Hex", "Waiting", "Session", "Model", "Bluetooth", protobuf]),
    library(
      "Engine",
      [
        "Waiting", "Session", "Model", "Bluetooth",
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    library("Source"),
    library("YAML", ["Source", "CYAML"]),
    library("Workbook", ["CGLib", "CZlib", "Model"]),
    library("CSV", ["Source", "Workbook"]),
    library("Manifest", ["Digest", "Hex", "Source", "YAML", "CSV", "Workbook", "Model", "Bluetooth"]),
    library("Journal", ["Digest", "Hex", "Model", "Bluetooth", "EventLoop"]),
    library(
      "Reporting", ["Digest", "Hex", "QRCode", "Model", "Bluetooth"],
      resources: [
        .embedInCode("Formats/HTML/page.css"), .embedInCode("Formats/HTML/page.js"),
        .embedInCode("Formats/HTML/live.js"), .embedInCode("Formats/HTML/connection.js"),
      ]),

    // The simulated building.
    library(
      "VirtualBuilding",
      [
        "Digest", "Ciphers", "EspMessages", "Hex", "Waiting", "Bluetooth", "Model", "EventLoop", "DBus",
        protobuf, .product(name: "HeapModule", package: "swift-collections"),
      ]),

    library("ScenarioFiles", ["Source", "YAML", "Manifest", "Model", "Bluetooth", "VirtualBuilding"]),

    // The computer and this process.
    library(
      "Host", ["Digest", "Bluetooth", "EventLoop", "DBus", "Model", "Reporting", "CGLib", "CLinux"],
      settings: strict),
    // What happens when a building is worked on; and the command line.
    library(
      "Application",
      [
        "Host", "Digest", "Hex", "Waiting", "Bluetooth", "EventLoop", "DBus", "BlueZ", "Model", "Session",
        "Families", "Engine", "Source", "YAML", "CSV", "Manifest", "Journal", "Reporting",
        "VirtualBuilding", "ScenarioFiles", "CLinux", "CPhoto", "HTTP", logging,
      ],
      resources: [
        .embedInCode("Schemas/manifest.schema.json"), .embedInCode("Schemas/family.schema.json"),
        .embedInCode("Schemas/record.schema.json"),
        // For the shells of other computers.
        .embedInCode("Bluetooth/lock.sh"), .embedInCode("Doctor/facts.sh"),
        .embedInCode("Phone/phone.html"), .embedInCode("Phone/phone.css"), .embedInCode("Phone/phone.js"),
      ], settings: strict),
    library(
      "RoboprovCLI",
      [
        "Application", "Host", "Waiting", "Bluetooth", "EventLoop", "DBus", "Model", "Session", "Engine",
        "YAML", "Manifest", "Journal", "Reporting", "VirtualBuilding", "CLinux", "QRCode",
        .product(name: "ArgumentParser", package: "swift-argument-parser"), logging,
      ],
      resources: [.embedInCode("Completion/colons.bash")], settings: strict),
    .executableTarget(name: "roboprov", dependencies: ["CCommit", "RoboprovCLI"], swiftSettings: strict),

    // Virtual time and a `Central` on a virtual building in the same process, without D-Bus: for what plays many
    // buildings.
    library("VirtualTime", ["Bluetooth", "EventLoop", "CLinux"], path: "Campaigns/VirtualTime"),
    library(
      "VirtualCentral", ["Bluetooth", "Waiting", "VirtualBuilding"], path: "Campaigns/VirtualCentral"),

    // Random buildings with faults and disturbances, and the invariants of every run.
    library(
      "Simulation",
      [
        "Bluetooth", "Model", "Session", "Engine", "Journal", "Reporting", "VirtualTime",
        "VirtualBuilding", "VirtualCentral",
      ], path: "Campaigns/Simulation"),
    // Provisions random buildings in virtual time and checks the invariants.
    .executableTarget(
      name: "Campaigns",
      dependencies: [
        "Families", "Reporting", "Simulation", "VirtualBuilding",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Campaigns", exclude: ["Simulation", "VirtualCentral", "VirtualTime"], swiftSettings: strict),

    // The shortest time that a virtual building permits.
    library("LowerBound", ["Reporting", "VirtualBuilding"], path: "Benchmarks/LowerBound"),
    // Measures the engine in virtual buildings.
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Bluetooth", "EventLoop", "Model", "Session", "Families", "Engine", "VirtualBuilding", "VirtualTime",
        "VirtualCentral", "Journal", "LowerBound", "Reporting",
        "Application",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks", exclude: ["requirements.txt", "LowerBound"], swiftSettings: strict),

    // The requirements of every `Central`, as checks for its tests.
    .target(
      name: "CentralConformance", dependencies: ["Bluetooth", "VirtualBuilding"],
      path: "Tests/CentralConformance", swiftSettings: strict),
    // The same checks in the radio lab, on the real BlueZ.
    .executableTarget(
      name: "BlueZConformance",
      dependencies: ["Bluetooth", "EventLoop", "BlueZ", "DBus", "CentralConformance", "VirtualBuilding"],
      path: "Tests/RadioLab/Conformance", swiftSettings: strict),

    // Scenarios that run with the real and with the virtual org.bluez, and their recordings.
    .target(
      name: "StackTraces", dependencies: ["Hex", "Bluetooth", "DBus"], path: "Tests/StackTraces",
      swiftSettings: strict),
    .executableTarget(
      name: "bluez-trace", dependencies: ["Bluetooth", "EventLoop", "DBus", "StackTraces"],
      path: "Tests/bluez-trace",
      swiftSettings: strict),
    .testTarget(
      name: "TraceTests",
      dependencies: ["StackTraces", "Bluetooth", "DBus", "VirtualBuilding"],
      path: "Tests/TraceTests", exclude: ["Scenarios", "Recordings", "exceptions.json"], swiftSettings: strict
    ),

    // Examples of recorded facts, for the tests of the modules that write and read them.
    .target(
      name: "SampleFacts", dependencies: ["Model", "Bluetooth"], path: "Tests/SampleFacts",
      swiftSettings: strict),

    tests("Hex"),
    tests("Ciphers", ["Hex"]),
    tests("Digest", ["Hex"]),
    tests("QRCode"),
    tests("Waiting", ["Bluetooth", "VirtualTime"]),
    tests("Bluetooth"),
    tests("EventLoop", ["Bluetooth"]),
    // A client of a server under test.
    .target(name: "RawClient", path: "Tests/RawClient", swiftSettings: fast),
    tests("HTTP", ["Bluetooth", "EventLoop", "RawClient"]),
    tests("DBus", ["Bluetooth", "EventLoop", "Waiting"]),
    tests(
      "BlueZ",
      ["Bluetooth", "EventLoop", "DBus", "RecordedText", "VirtualBuilding", "CentralConformance"]),
    tests("Model", ["Bluetooth", "Families", "SampleFacts", "Session"]),
    tests("Session", ["Bluetooth", "Model", "ProcessorTime", "RecordedText", "VirtualTime"]),
    tests(
      "Families",
      ["Bluetooth", "Ciphers", "Digest", "EspMessages", "Hex", "Model", "Session", "VirtualTime", protobuf]),
    tests(
      "Engine",
      [
        "Bluetooth", "Model", "Session", "Families", "VirtualTime", "VirtualBuilding",
        "VirtualCentral", "Journal", "EspMessages", "Hex", "RecordedText", "Reporting", "Simulation",
        "SampleFacts", "Waiting", protobuf,
      ]),
    tests(
      "Simulation",
      [
        "Digest", "Hex", "Bluetooth", "Model", "Session", "Families", "Engine", "Manifest", "Journal",
        "Reporting", "RecordedText", "VirtualTime", "VirtualBuilding", "VirtualCentral",
      ]),
    // Texts in which the expected places are marked.
    .target(name: "MarkedText", dependencies: ["Source"], path: "Tests/MarkedText", swiftSettings: strict),
    // Values in words that can be compared.
    .target(name: "ValueWords", dependencies: ["Bluetooth"], path: "Tests/ValueWords", swiftSettings: strict),
    // What a test costs, on a machine with other work.
    .target(name: "ProcessorTime", path: "Tests/ProcessorTime", swiftSettings: strict),
    // Texts that are compared with files of the project.
    .target(name: "RecordedText", dependencies: [logging], path: "Tests/RecordedText", swiftSettings: strict),
    tests("YAML", ["MarkedText", "Source"]),
    tests("CSV", ["MarkedText", "Source", "Workbook"]),
    tests(
      "Manifest",
      [
        "CSV", "MarkedText", "ProcessorTime", "RecordedText", "SampleFacts", "Source", "ValueWords", "YAML",
        "Families",
        "Session", "Model", "Bluetooth",
      ]),
    tests(
      "Journal", ["Digest", "EventLoop", "ProcessorTime", "SampleFacts", "Families", "Model", "Bluetooth"]),
    tests("Reporting", ["RecordedText", "SampleFacts", "Families", "Model", "Bluetooth", "Journal"]),
    tests("VirtualTime", ["Bluetooth", "VirtualBuilding"]),
    tests(
      "VirtualBuilding",
      [
        "Hex", "LowerBound", "Reporting", "Bluetooth", "EventLoop", "DBus", "VirtualTime",
        "VirtualCentral", "CentralConformance",
      ]),
    // The engine over BlueZ's central and the virtual org.bluez, in virtual time.
    .testTarget(
      name: "StackTests",
      dependencies: [
        "Bluetooth", "EventLoop", "DBus", "BlueZ", "Model", "Session", "Families", "Engine", "Journal",
        "RecordedText", "Reporting", "VirtualBuilding", "LowerBound",
      ], swiftSettings: strict),
    tests("ScenarioFiles", ["MarkedText", "Source", "Manifest", "Bluetooth", "VirtualBuilding"]),
    // Kills a program from within at an exact instant. The program needs no hook.
    .target(name: "KillSwitch", path: "Tests/KillSwitch"),
    // A library of codes that does what the process that reads photos must not.
    .target(name: "HostileReader", path: "Tests/HostileReader"),
    tests(
      "Application",
      [
        "Bluetooth", "CSV", "DBus", "Digest", "Engine", "EventLoop", "Families", "Host", "HTTP", "Journal",
        "Manifest", "Model", "RawClient", "Reporting", "SampleFacts", "Session", "Simulation", "Source",
        "VirtualBuilding", "VirtualCentral", "VirtualTime",
      ]),
    // These tests run the built program, so it is a dependency.
    tests(
      "RoboprovCLI",
      [
        "Application", "Digest", "Hex", "Host", "roboprov", "Campaigns", "Bluetooth", "EventLoop", "DBus",
        "Journal", "Manifest",
        "Model", "Session", "Families", "Engine",
        "Reporting",
        "HostileReader", "RawClient", "RecordedText", "SampleFacts", "Simulation", "VirtualBuilding",
        "VirtualCentral", "VirtualTime", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

// The fuzz targets (Tests/Fuzz/README.md). `make test` replays their corpora. Scripts/fuzz builds libFuzzer's program from the
// same files in a separate build, in which everything is instrumented.
let fuzzed: [Target.Dependency] = [
  "ValueWords", "CDBus", "Bluetooth", "DBus", "BlueZ", "Model", "Session", "Families", "Source", "YAML",
  "CSV", "Manifest",
  "Journal",
  "Reporting", "VirtualBuilding", "ScenarioFiles", "Application",
  "RoboprovCLI", "EspMessages", protobuf,
]
let corpusTests = Target.testTarget(
  name: "FuzzTests", dependencies: fuzzed + ["RecordedText"], path: "Tests/Fuzz",
  exclude: ["main.swift", "Corpora", "README.md"],
  swiftSettings: strict)
let fuzzProgram = Target.executableTarget(
  name: "roboprov-fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
  exclude: ["CorpusTests.swift", "Corpora", "README.md"],
  swiftSettings: strict,
  // Debian 12's gold cannot link the instrumented code.
  linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
package.targets.append(Context.environment["ROBOPROV_FUZZ"] == nil ? corpusTests : fuzzProgram)
