# Runs irace for irace.py:  irace.R WORK ANSWERS REQUESTS INSTANCES option=value ...
#
# A trial is one line on REQUESTS and one on ANSWERS, so that no process is started for it.

suppressMessages(library(irace))
arguments <- commandArgs(trailingOnly = TRUE)
work <- arguments[1]
answers <- file(arguments[2], "r", raw = TRUE)
requests <- file(arguments[3], "w", raw = TRUE)
instances <- as.numeric(arguments[4])
options <- strsplit(arguments[-(1:4)], "=")
options <- setNames(lapply(options, function(pair) as.numeric(pair[2])), sapply(options, `[`, 1))
log_file <- file.path(work, "irace.Rdata")
parameters <- readParameters(file.path(work, "parameters.txt"), digits = 15)

send <- function(...) {
  writeLines(paste(c(...), collapse = "\t"), requests)
  flush(requests)
}

# The active parameters of a configuration, as `name=value`.
settings <- function(configuration) {
  values <- sapply(parameters$names, function(name) {
    value <- configuration[[name]]
    if (is.numeric(value)) format(value, digits = 15) else as.character(value)
  })
  active <- !is.na(unlist(configuration[parameters$names]))
  paste0(parameters$names, "=", values)[active]
}

# irace writes its log when an iteration begins, with the elites of the previous iterations.
seen <- NA
report_elite <- function() {
  written <- file.mtime(log_file)
  if (is.na(written) || identical(written, seen)) return()
  seen <<- written
  load(log_file)
  elite <- tail(iraceResults$iterationElites, 1)
  known <- iraceResults$allConfigurations
  if (length(elite) > 0) send("incumbent", settings(known[known$.ID. == elite, ]))
}

runner <- function(experiment, scenario) {
  report_elite()
  bound <- if (is.null(experiment$bound)) NA else format(experiment$bound, digits = 15)
  send("run", experiment$instance, experiment$seed, bound, settings(experiment$configuration))
  answer <- readLines(answers, 1)
  if (length(answer) == 0 || answer == "over") stop("the budget is spent")
  numbers <- as.numeric(strsplit(answer, " ")[[1]])
  list(cost = numbers[1], time = numbers[2])
}

scenario <- list(
  targetRunner = runner,
  instances = as.character(seq_len(instances) - 1),
  digits = 15,
  logFile = log_file,
  execDir = work,
  trainInstancesDir = "",
  configurationsFile = file.path(work, "initial.txt")
)
if (file.size(file.path(work, "forbidden.txt")) > 0) scenario$forbiddenFile <- file.path(work, "forbidden.txt")
scenario <- c(scenario, options)

# Try irace's own numbers first (0), then the largest numbers that the budget covers. With a fixed number of iterations,
# irace leaves the rest of its budget unused, so these attempts come last.
attempts <- rbind(cbind(c(0, 5:1), 0), cbind(1, 4:1))
for (attempt in seq_len(nrow(attempts))) {
  scenario$minNbSurvival <- attempts[attempt, 1]
  scenario$nbIterations <- attempts[attempt, 2]
  failure <- NULL
  elites <- tryCatch(irace(checkScenario(defaultScenario(scenario)), parameters), error = function(error) {
    failure <<- conditionMessage(error)
    NULL
  })
  if (is.null(failure) || !grepl("Insufficient budget", failure)) break
}
if (is.null(failure)) {
  send("incumbent", settings(elites[1, ]))
} else if (failure == "the budget is spent") {
  report_elite()
} else {
  stop(failure)
}
